/**
 * Tells VS Code how to run the MCP server: the same `serve` program that every other client runs.
 *
 * What `provide` gives must work as it is (the agent host never asks to resolve it), it never rejects, and it changes
 * only when something real changed, because a change stops a running server (vscode.md §1).
 */
import * as vscode from 'vscode';
import type { ServerCommand } from '../client/configuration.ts';
import type { Log } from './log.ts';

/** Must be the id in the manifest. */
const PROVIDER_ID = 'kdMcp.servers';
/** Part of the server's identity: never change it, never translate it. */
const SERVER_LABEL = 'KD';

export interface ServerLaunch extends ServerCommand {
  /** Changes with the tool list: the editor caches tools under it. */
  readonly version: string;
}

/** Registers the provider now. `launch` is asked whenever the editor wants the definition, and may take its time. */
export function registerProvider(
  launch: () => Promise<ServerLaunch>,
  onChange: vscode.Event<unknown>,
  log: Log,
): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  let last = '';
  const definition = async (): Promise<vscode.McpStdioServerDefinition[]> => {
    try {
      const { command, args, env, version } = await launch();
      last = JSON.stringify([command, args, env, version]);
      return [new vscode.McpStdioServerDefinition(SERVER_LABEL, command, [...args], { ...env }, version)];
    } catch (error) {
      log.error(
        `The MCP server cannot be described: ${error instanceof Error ? error.message : String(error)}`,
      );
      return [];
    }
  };
  const subscriptions: vscode.Disposable[] = [
    changed,
    onChange(async () => {
      try {
        const { command, args, env, version } = await launch();
        if (JSON.stringify([command, args, env, version]) === last) return;
      } catch {
        // Asked again, it tells why.
      }
      changed.fire();
    }),
  ];
  try {
    subscriptions.push(
      vscode.lm.registerMcpServerDefinitionProvider(PROVIDER_ID, {
        onDidChangeMcpServerDefinitions: changed.event,
        provideMcpServerDefinitions: definition,
      }),
    );
  } catch (error) {
    // Some products built from VS Code lack this; the views work all the same.
    log.warn(
      `This editor takes no MCP servers from extensions: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  return vscode.Disposable.from(...subscriptions);
}
