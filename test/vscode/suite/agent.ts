/** An agent in this window. */
import * as vscode from 'vscode';

/** Calls a tool as an agent in this window does. */
export async function callTool(name: string, input: object): Promise<string> {
  const result = await vscode.lm.invokeTool(`mcp_kd_${name}`, { input, toolInvocationToken: undefined });
  return result.content
    .map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : ''))
    .join('');
}
