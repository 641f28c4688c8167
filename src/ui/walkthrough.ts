/** "Open Walkthrough": the four steps of the manifest. */
import * as vscode from 'vscode';

/** `publisher.name#id`, as the manifest has it. */
export const WALKTHROUGH = 'kd-mcp.kd-mcp#kdMcp.firstSteps';

export function openWalkthrough(): Thenable<unknown> {
  return vscode.commands.executeCommand('workbench.action.openWalkthrough', WALKTHROUGH, false);
}
