/** "Copy MCP Configuration": the block that makes another MCP client start the same server as this window. */
import * as vscode from 'vscode';
import { CLIENTS, clientConfiguration, type McpClient, type ServerCommand } from '../client/configuration.ts';

const t = vscode.l10n.t;

/** Asks for the client if the caller did not name one. Returns what was copied. */
export async function copyConfiguration(server: ServerCommand, named: unknown): Promise<string | undefined> {
  const clients = Object.entries(CLIENTS) as [McpClient, (typeof CLIENTS)[McpClient]][];
  const items = clients.map(([client, { name, file }]) => ({ client, label: name, description: file }));
  const chosen =
    items.find((item) => item.client === named) ??
    (await vscode.window.showQuickPick(items, {
      placeHolder: t('Which client should use these sessions?'),
      matchOnDescription: true,
    }));
  if (chosen === undefined) return undefined;
  const text = clientConfiguration(chosen.client, server);
  await vscode.env.clipboard.writeText(text);
  void vscode.window.showInformationMessage(
    t('KD: The configuration for {0} was copied. Paste it into {1}.', chosen.label, chosen.description),
  );
  return text;
}
