/** `kd-mcp config`: prints the block that makes an MCP client start this very program. */
import { resolve } from 'node:path';
import { CLIENTS, clientConfiguration, isMcpClient } from '../client/configuration.ts';
import { lastingProgram, runningProgram } from '../client/program.ts';
import { homeFolder } from '../config/home.ts';
import type { GlobalOptions } from './program.ts';

/** Where to paste it goes to stderr, so that stdout can be written into a file. */
export function config(client: string, options: GlobalOptions): void {
  if (!isMcpClient(client)) {
    throw new Error(`"${client}" is none of the clients: ${Object.keys(CLIENTS).join(', ')}.`);
  }
  const { command, script, env = {} } = lastingProgram(runningProgram());
  const home = homeFolder(options.home === undefined ? {} : { home: options.home });
  const file = options.config === undefined ? [] : ['--config', resolve(options.config)];
  const args = [script, 'serve', '--home', home, ...file];
  process.stderr.write(`For ${CLIENTS[client].name}: ${CLIENTS[client].file}\n`);
  process.stdout.write(clientConfiguration(client, { command, args, env }));
}
