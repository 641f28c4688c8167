/**
 * One input line of kd as the commands it consists of: where `;` separates and where it does not
 * (kd-behaviour.md §7.1). A prediction: aliases are replaced by kd before it splits.
 */

export interface Segment {
  /** The command, without blanks around it. */
  readonly text: string;
  /** Command lines inside it that kd executes, perhaps: bodies in braces, `~0 e …`, the branches of `j`. */
  readonly inner: readonly string[];
}

/** Commands that take everything up to the end of the line, `;` included. */
const TAKES_LINE = [
  /^\*/,
  /^\$>?</,
  // `as Name …`; with a switch, and as `aS`, it ends at `;`.
  /^as\s+(?!\/)/,
  /^\.(shell|create)\b/i,
  // `;` separates path elements.
  /^\.(sympath|srcpath|lsrcpath|exepath)\b/i,
];
const CONTROL_FLOW = /^\.(if|else|elsif|while|do|for|foreach|block|catch|leave)\b/i;
const THREAD_COMMAND = /^~\s*(?:\d+|[.#*])\s*e\s+/i;

/** Splits a line. Comments are left out. */
export function segmentsOf(line: string): readonly Segment[] {
  const segments: Segment[] = [];
  let rest = line;
  while (true) {
    rest = rest.replace(/^[\s;]+/, '');
    if (rest === '') return segments;
    const length = lengthOf(rest);
    const text = rest.slice(0, length).trim();
    rest = rest.slice(length);
    if (!/^(\*|\$\$(?![<>]))/.test(text)) segments.push({ text, inner: innerOf(text) });
  }
}

function lengthOf(rest: string): number {
  if (TAKES_LINE.some((pattern) => pattern.test(rest)) || THREAD_COMMAND.test(rest) || /^j\s/i.test(rest)) {
    return rest.length;
  }
  if (/^\$\$/.test(rest)) return until(rest, 0, NOTHING);
  // A quote anywhere in its text quotes, up to the next one or to the end of the line; nothing escapes it (real engine).
  if (/^\.echo\b/i.test(rest)) return /^(?:[^";]|"[^"]*(?:"|$))*/.exec(rest)?.[0].length ?? rest.length;
  return until(rest, 0, { quotes: true, parentheses: CONTROL_FLOW.test(rest) });
}

const NOTHING = { quotes: false, parentheses: false };

/** Index of the `;` that ends the command, or of the end. */
function until(text: string, from: number, respect: { quotes: boolean; parentheses: boolean }): number {
  let depth = 0;
  let quoted = false;
  for (let index = from; index < text.length; index++) {
    const character = text[index];
    if (quoted) {
      if (character === '\\') index++;
      else if (character === '"') quoted = false;
      continue;
    }
    if (character === ';' && depth === 0) return index;
    if (!respect.quotes) continue;
    if (character === '"') quoted = true;
    else if (character === '{' || (respect.parentheses && character === '(')) depth++;
    else if (character === '}' || (respect.parentheses && character === ')')) depth = Math.max(0, depth - 1);
  }
  return text.length;
}

function innerOf(text: string): readonly string[] {
  const thread = THREAD_COMMAND.exec(text);
  if (thread !== null) return [text.slice(thread[0].length)];
  if (/^j\s/i.test(text)) return branchesOf(text);
  return CONTROL_FLOW.test(text) ? bodiesOf(text) : [];
}

/** `j expression 'a' ; 'b'`: the branches, quoted or not. */
function branchesOf(text: string): readonly string[] {
  const quoted = [...text.matchAll(/'([^']*)'|"([^"]*)"/g)].map((match) => match[1] ?? match[2] ?? '');
  if (quoted.length > 0) return quoted;
  return text
    .split(';')
    .map((branch, index) => (index === 0 ? (/(\S+)\s*$/.exec(branch)?.[1] ?? '') : branch));
}

/** What stands between the outermost braces. */
function bodiesOf(text: string): readonly string[] {
  const bodies: string[] = [];
  let depth = 0;
  let start = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (quoted && character === '\\') index++;
    else if (character === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (character === '{' && depth++ === 0) start = index + 1;
    else if (character === '}' && depth > 0 && --depth === 0) bodies.push(text.slice(start, index));
  }
  if (depth > 0) bodies.push(text.slice(start));
  return bodies;
}
