#!/usr/bin/env node
/**
 * `kd-mcp`: one program, many subcommands. Each loads its own code when it runs, so that `serve` answers fast and the
 * session host carries neither zod nor the MCP SDK.
 */
import * as modules from 'node:module';
import { runProgram } from './cli/program.ts';

/** As `engines` in package.json says: npm only warns, and what an older Node says for itself nobody understands. */
const OLDEST_NODE = 22;

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  process.stderr.write(`kd-mcp needs Node ${OLDEST_NODE} or newer; this is Node ${process.versions.node}.\n`);
  process.exit(1);
}
// Compiled code is kept between starts, in the system's folder for temporary files. It may fail; nothing depends on it.
modules.enableCompileCache();
await runProgram(process.argv);
