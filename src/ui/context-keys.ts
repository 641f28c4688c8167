/** What `when` clauses of the manifest may ask: `kdMcp.count`, `kdMcp.canBreak`, `kdMcp.canGo`, `kdMcp.halted`, `kdMcp.pinned`, … */
import * as vscode from 'vscode';
import { takesCommands } from './console-words.ts';
import type { EndedSessions } from './ended-sessions.ts';
import type { LiveSessions } from './live-sessions.ts';
import { toggleFor } from './status-bar.ts';

export function followContextKeys(sessions: LiveSessions, ended: EndedSessions): vscode.Disposable {
  let last = '';
  const update = () => {
    const infos = sessions.all.flatMap((each) => (each.kind === 'joined' ? [each.info] : []));
    const toggles = infos.map((info) => toggleFor(info.status.state));
    const keys = {
      'kdMcp.count': sessions.all.length,
      'kdMcp.canBreak': toggles.includes('break'),
      'kdMcp.canGo': toggles.includes('go'),
      'kdMcp.canRun': infos.some((info) => takesCommands(info.status.state)),
      'kdMcp.canPin': infos.some((info) => info.status.halt !== undefined && info.pinnedBy === undefined),
      'kdMcp.pinned': infos.some((info) => info.pinnedBy !== undefined),
      'kdMcp.shared': infos.some((info) => info.sharing?.server !== undefined),
      'kdMcp.canControl': infos.some((info) => info.controlledBy === undefined),
      'kdMcp.controlled': infos.some((info) => info.controlledBy !== undefined),
      'kdMcp.endedCount': ended.all.length,
    };
    const text = JSON.stringify(keys);
    if (text === last) return;
    last = text;
    for (const [key, value] of Object.entries(keys))
      void vscode.commands.executeCommand('setContext', key, value);
  };
  update();
  return vscode.Disposable.from(sessions.onChange(update), ended.onChange(update));
}
