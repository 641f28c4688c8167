/** What agents may do in a session: lowered at once, raised only after a person said so in a modal. */
import * as vscode from 'vscode';
import type { Session } from '../client/sessions.ts';
import type { Level } from '../host/protocol.ts';
import { levelWords } from './words.ts';

const t = vscode.l10n.t;

/** From least to most. */
const LEVELS: readonly Level[] = ['inspect', 'debug', 'unrestricted'];

/** Asks for the level and, unless it is lower than now, for consent. */
export async function setLevel(session: Session): Promise<void> {
  const current = session.info.level;
  const items = LEVELS.map((level) => ({
    level,
    label: level,
    detail: levelWords(level, t),
    ...(level === current ? { description: t('now') } : {}),
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: t('Agent Level of {0}', session.id),
    placeHolder: t('What may agents do?'),
  });
  if (picked === undefined) return;
  const { level } = picked;
  const lowers = current !== undefined && LEVELS.indexOf(level) < LEVELS.indexOf(current);
  if (lowers || (await consents(session, level))) await session.setLevel(level);
}

async function consents(session: Session, level: Level): Promise<boolean> {
  const yes = t('Allow');
  const detail = [
    levelWords(level, t),
    t('This also holds for agents whose own configuration allows less.'),
    ...(level === 'unrestricted' ? [t('kd was started with -noshell: .shell stays off.')] : []),
  ].join('\n\n');
  const message = t('Allow agents the level "{0}" in {1}?', level, session.id);
  return (await vscode.window.showWarningMessage(message, { modal: true, detail }, yes)) === yes;
}
