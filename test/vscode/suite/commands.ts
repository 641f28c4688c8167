/** Runs the extension's commands and remembers which: at the end a test asks whether any was never run. */
import * as vscode from 'vscode';

const seen = new Set<string>();

/** As a menu or a key does. */
export function run<T = unknown>(command: string, ...args: unknown[]): Thenable<T> {
  seen.add(command);
  return vscode.commands.executeCommand<T>(command, ...args);
}

/** A click or a key ran it. */
export function ran(command: string): void {
  seen.add(command);
}

export function neverRun(): readonly string[] {
  const { contributes } = vscode.extensions.getExtension('kd-mcp.kd-mcp')?.packageJSON ?? {};
  const all: readonly { command: string }[] = contributes?.commands ?? [];
  return all.map(({ command }) => command).filter((command) => !seen.has(command));
}

/** A session of the tree, as its menus name it. */
export const node = (id: string): object => ({ kind: 'session', id });
