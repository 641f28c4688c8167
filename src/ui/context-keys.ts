/** What `when` clauses of the manifest may ask: `kdMcp.count`, `kdMcp.canBreak`, `kdMcp.canGo`. */
import * as vscode from 'vscode';
import type { LiveSessions } from './live-sessions.ts';
import { toggleFor } from './status-bar.ts';

export function followContextKeys(sessions: LiveSessions): vscode.Disposable {
  let last = '';
  const update = () => {
    const toggles = sessions.all.flatMap((each) =>
      each.kind === 'joined' ? [toggleFor(each.info.status.state)] : [],
    );
    const keys = {
      'kdMcp.count': sessions.all.length,
      'kdMcp.canBreak': toggles.includes('break'),
      'kdMcp.canGo': toggles.includes('go'),
    };
    const text = JSON.stringify(keys);
    if (text === last) return;
    last = text;
    for (const [key, value] of Object.entries(keys))
      void vscode.commands.executeCommand('setContext', key, value);
  };
  update();
  const listening = sessions.onChange(update);
  return new vscode.Disposable(() => listening.dispose());
}
