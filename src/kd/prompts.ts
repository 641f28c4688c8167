/**
 * What kd prints when it wants input. Used to notice and to strip, never as proof that a command is over.
 */

/** Source of a regular expression for every documented form: `kd> `, `0: kd> `, `lkd> `, `32.2: kd:x86> `, `0:000> `, `?:???> `, `||1:0: kd> ` (kd-behaviour.md §4.1). */
export const PROMPT = String.raw`(?:\|\|\d+:)?(?:(?:\d+\.)?(?:\d+: ?)?l?kd(?::[A-Za-z0-9]+)?|(?:\d+|\?):(?:[0-9a-f]{3,}|\?\?\?)(?::[A-Za-z0-9]+)?)> `;

/** No prompt is longer. A pattern without a fixed start takes for ever on the megabytes a target may print. */
export const LONGEST_PROMPT = 64;

const AT_END = new RegExp(`${PROMPT}$`);
const AT_START = new RegExp(`^${PROMPT}`);

/** The prompt an unfinished line ends with, or undefined. */
export function promptAtEnd(tail: string): string | undefined {
  // A prompt always ends in "> "; most chunks do not.
  if (!tail.endsWith('> ')) return undefined;
  return AT_END.exec(tail.slice(-LONGEST_PROMPT))?.[0];
}

/** The prompt a line begins with, or undefined: output is glued to it because a pipe has no echo (transcript 79). */
export function promptAtStart(line: string): string | undefined {
  return AT_START.exec(line)?.[0];
}

/** `line` without the prompts it begins with; they repeat without a separator (transcripts 17, 22). */
export function stripPrompts(line: string): string {
  let rest = line;
  for (let prompt = promptAtStart(rest); prompt !== undefined; prompt = promptAtStart(rest)) {
    rest = rest.slice(prompt.length);
  }
  return rest;
}

/** What cancels a question: an empty line leaves an input mode, `b` makes the target stop where it asks. */
export interface Question {
  readonly text: string;
  readonly cancel: '' | 'b';
}

const QUESTIONS: readonly { readonly at: RegExp; readonly cancel: Question['cancel'] }[] = [
  { at: /\bInput> ?$/, cancel: '' },
  { at: /Hit Enter\.\.\.\s*$/, cancel: '' },
  { at: /\(boipt\)\?\s*$/i, cancel: 'b' },
];

/** The assembler's prompt is the address it writes to (`a`, kd-behaviour.md §4.6). */
const ASSEMBLER = /^[0-9a-f]{8}(?:`?[0-9a-f]{8})? $/;

/**
 * The question an unfinished line asks, if it asks one (kd-behaviour.md §4.6).
 *
 * @param command the command that runs: only `a` opens the assembler, and memory dumps look like its prompt.
 */
export function questionIn(tail: string, command: string | undefined): Question | undefined {
  if (tail === '') return undefined;
  for (const { at, cancel } of QUESTIONS) {
    const found = at.exec(tail);
    if (found) return { text: tail.trim(), cancel };
  }
  const line = stripPrompts(tail);
  if (command !== undefined && /^\s*a(?:\s|$)/i.test(command) && ASSEMBLER.test(line)) {
    return { text: `assembler at ${line.trim()}`, cancel: '' };
  }
  return undefined;
}
