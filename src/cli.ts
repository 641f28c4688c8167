#!/usr/bin/env node
/**
 * `kd-mcp`: one program, many subcommands. Each loads its own code when it runs, so that `serve` answers fast and the
 * session host carries neither zod nor the MCP SDK.
 */
import * as modules from 'node:module';
import { isNodeTooOld, runOnNewerNode } from './cli/newer-node.ts';
import { runProgram } from './cli/program.ts';
import { useRuntime } from './host/runtime-folder.ts';

if (isNodeTooOld()) process.exit(await runOnNewerNode());
// Compiled code is kept between starts, in the system's folder for temporary files. It may fail; nothing depends on it.
modules.enableCompileCache();
useRuntime(import.meta.dirname);
await runProgram(process.argv);
