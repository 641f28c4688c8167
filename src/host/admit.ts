/** The lines of a request on their way to the queue: all of them may be sent, or none is. */
import { checkCommandLine } from '../kd/command.ts';
import type { Effect } from '../policy/effects.ts';
import type { CommandParams } from './commands.ts';
import type { SessionCore } from './core.ts';
import type { Asked } from './permission.ts';
import type { ClientIdentity } from './protocol.ts';
import { refuse } from './refusals.ts';

/** One call is one unit of everybody's queue. */
const MAX_LINES = 50;
/** Named in a refusal. */
const MOST_PROBLEMS = 10;

/** A line that may be sent, as far as it is known now. */
export interface AdmittedLine {
  readonly text: string;
  readonly asked: Asked;
  readonly effects: readonly Effect[];
  /** Of the permission that let it through. */
  readonly revision: number;
}

/** @throws when one of the lines must not be sent: then none is, because those behind it may rely on it. */
export function admit(core: SessionCore, by: ClientIdentity, params: CommandParams): AdmittedLine[] {
  const { lines, answer = false, limits } = params;
  if (lines.length === 0) throw refuse('badCommand', 'There is no command to send.');
  if (lines.length > MAX_LINES) {
    throw refuse('badCommand', `${lines.length} lines at once are too many: send at most ${MAX_LINES}.`);
  }
  if (answer && lines.length > 1) throw refuse('badCommand', 'An answer is one line.');
  const judged = lines.map((line) => judge(core, { line, answer, by, limits }));
  const problems = judged.flatMap(({ text, problem }, index) => {
    if (problem === undefined) return [];
    return [
      lines.length === 1 ? problem : `line ${index + 1} (${JSON.stringify(text.slice(0, 60))}): ${problem}`,
    ];
  });
  if (problems.length === 0) return judged;
  const all = problems.slice(0, MOST_PROBLEMS).join('\n');
  throw refuse('badCommand', lines.length === 1 ? all : `Nothing was sent. ${all}`);
}

function judge(core: SessionCore, asked: Asked): AdmittedLine & { readonly problem: string | undefined } {
  const { line: text, answer } = asked;
  const { permission } = core;
  const { revision } = permission;
  const malformed = answer && text === '' ? undefined : checkCommandLine(text);
  if (malformed !== undefined) return { text, asked, revision, effects: [], problem: malformed };
  const judgement = permission.judge(asked);
  if (judgement.refusal !== undefined) core.traces.refused(asked, judgement);
  return { text, asked, revision, effects: judgement.effects, problem: judgement.refusal };
}

/** Why a line whose turn has come must not be sent any more: the level was lowered while it waited. */
export function refusedMeanwhile(core: SessionCore, { asked, revision }: AdmittedLine): string | undefined {
  return revision === core.permission.revision ? undefined : judge(core, asked).problem;
}
