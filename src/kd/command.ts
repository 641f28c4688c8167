/** What one command line may be and what it will do, before it is sent. Pure. */
import { segmentsOf } from './segments.ts';

/** kd takes no longer line; what is behind that is cut off or becomes a command of its own (kd-behaviour.md §1.1). */
export const LONGEST_COMMAND = 4096;

/**
 * Several lines are several commands. Blank lines are left out, because kd repeats its last command for an empty
 * line; other blanks are kept.
 */
export function splitLines(text: string): readonly string[] {
  return text.split(/\r\n|\n|\r/).filter((line) => line.trim() !== '');
}

/** Why a line cannot be sent to kd, as a sentence that says what to do; undefined when it can. */
export function checkCommandLine(line: string): string | undefined {
  if (line.trim() === '') return 'The command is empty. kd would repeat its last command; send a command.';
  if (/[\r\n]/.test(line))
    return 'The command holds a line break. Each line is a command: send them one by one.';
  const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.exec(line)?.[0];
  if (control !== undefined) {
    return `The command holds the control character ${codeOf(control)}, which kd takes as a control key. Remove it; to stop the target use break_in.`;
  }
  if (!line.isWellFormed())
    return 'The command holds half of a surrogate pair, which is no character. Remove it.';
  const foreign = /[^\t\u0020-\u007e]/u.exec(line)?.[0];
  if (foreign !== undefined) {
    return `The command holds ${JSON.stringify(foreign)} (${codeOf(foreign)}). kd reads its input in the code page of its host, where this may become another character: use ASCII only, e.g. an address instead of a name, or write text with eb/ew.`;
  }
  if (line.length > LONGEST_COMMAND) {
    return `The command has ${line.length} characters; kd takes ${LONGEST_COMMAND} and cuts the rest off. Send it as several commands.`;
  }
  return undefined;
}

/** What a line will do if kd accepts it. */
export interface CommandEffect {
  /** One of its commands lets the target run: `g`, `p`, `t`, `wt` and their kin. */
  readonly resumes: boolean;
  /** The first command that lets it run is a step or a trace: a stop follows at once, as a rule. */
  readonly steps: boolean;
  /** It ends kd or the session. */
  readonly endsSession: boolean;
  /** It restarts or crashes the target. */
  readonly reboots: boolean;
}

/** What {@link effectOf} tells of a whole line. */
export interface LineEffect extends CommandEffect {
  /** It resumes, or a command inside braces or a branch does, if it is reached. */
  readonly mayResume: boolean;
}

/** What kd's end by this line does to the guest (kd-behaviour.md §6.3); undefined when the line ends no kernel session. */
export function guestAfterLine(line: string): 'running' | 'halted' | undefined {
  const last = segmentsOf(line).at(-1)?.text.trim().toLowerCase();
  if (last === 'qd') return 'running';
  return last === 'q' || last === 'qq' ? 'halted' : undefined;
}

const ENDS = /^(q[qd]?(\s|$)|\.(kill|detach|abandon|restart)\b|\u0002)/i;
const REBOOTS = /^\.(reboot|crash)\b/i;
/** kd reads commands by their first letters, so `g@rip`, `g=…` and `pct` are here too (engine.md §5). */
const RESUMES = /^([gpt]|wt)/i;
const STEPS = /^([pt]|wt)/i;
const THREAD_PREFIX = /^~\s*(\d+|[.#*]|\[[^\]]*\])\s*/;

/** Predicts the effect of a line from its commands; quoted commands (of breakpoints) do not count. */
export function effectOf(line: string): LineEffect {
  let effect: LineEffect = {
    resumes: false,
    mayResume: false,
    steps: false,
    endsSession: false,
    reboots: false,
  };
  for (const { text, inner } of segmentsOf(line)) {
    const command = text.replace(THREAD_PREFIX, '');
    const runs = RESUMES.test(command);
    const within = inner.map(effectOf);
    effect = {
      resumes: effect.resumes || runs,
      mayResume: effect.mayResume || runs || within.some((one) => one.mayResume),
      steps: effect.resumes ? effect.steps : runs && STEPS.test(command),
      endsSession: effect.endsSession || ENDS.test(command) || within.some((one) => one.endsSession),
      reboots: effect.reboots || REBOOTS.test(command) || within.some((one) => one.reboots),
    };
  }
  return effect;
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
