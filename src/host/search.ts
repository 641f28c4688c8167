/** Finding lines in a transcript: in pieces, so that the host stays awake, and with a limit on bad patterns. */
import { type Context, createContext, Script } from 'node:vm';
import {
  continuationBytes,
  MAX_READ_BYTES,
  readBytes,
  type Slice,
  startOf,
  wholeCharacters,
} from './slice.ts';

const PIECE_BYTES = 64 * 1024;
/** One search looks at no more; the caller goes on from `to`. */
const MAX_SEARCHED_BYTES = 64 * 1024 * 1024;
/** A line is matched by its beginning. */
const MAX_LINE = 16 * 1024;
/** A pattern such as `(a+)+$` can take for ever on one line: a piece has this long. */
const PIECE_TIMEOUT_MS = 500;

/** The pattern is wrong or too slow; the message is for the user. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

type Filter = (lines: readonly string[]) => readonly string[];

/**
 * The lines from `from` on that match `pattern` (a case-insensitive regular expression, or plain text if it is none),
 * until they fill `maxBytes` or enough was searched. `to` is where the search stopped: the next one goes on there.
 * @throws PatternError
 */
export async function searchFile(
  file: number,
  end: number,
  from: number,
  maxBytes: number,
  pattern: string,
): Promise<Slice> {
  const filter = createFilter(pattern);
  const first = startOf(from, end);
  const start = first + continuationBytes(readBytes(file, first, Math.min(4, end - first)), 0);
  const stop = Math.min(end, start + MAX_SEARCHED_BYTES);
  const room = Math.max(1, Math.min(maxBytes, MAX_READ_BYTES));
  const found: string[] = [];
  let foundBytes = 0;
  let at = start;
  while (at < stop) {
    const piece = readBytes(file, at, Math.min(PIECE_BYTES, stop - at));
    if (piece.length === 0) break;
    const whole =
      at + piece.length >= end ? piece.length : piece.lastIndexOf(0x0a) + 1 || wholeCharacters(piece);
    const lines = piece.toString('utf8', 0, whole).toWellFormed().split('\n');
    if (lines.at(-1) === '') lines.pop();
    let lineAt = at;
    const matching = new Set(filter(lines));
    for (const line of lines) {
      const bytes = Buffer.byteLength(line) + 1;
      if (matching.has(line)) {
        if (foundBytes + bytes > room && found.length > 0) {
          return { text: joined(found), from: start, to: Math.min(lineAt, at + whole), end };
        }
        found.push(line);
        foundBytes += bytes;
      }
      lineAt += bytes;
    }
    at += whole;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { text: joined(found), from: start, to: at, end };
}

function joined(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function createFilter(pattern: string): Filter {
  const source = /^\/(.+)\/i?$/s.exec(pattern)?.[1] ?? pattern;
  if (!/[\\^$.*+?()[\]{}|]/.test(source) || !isExpression(source)) {
    const wanted = (isExpression(source) ? source : pattern).toLowerCase();
    return (lines) => lines.filter((line) => line.slice(0, MAX_LINE).toLowerCase().includes(wanted));
  }
  return (lines) => {
    try {
      return matchElsewhere(source, lines);
    } catch {
      throw new PatternError(`The pattern takes too long: ${pattern}. Use a simpler one, or plain text.`);
    }
  };
}

let matcher: { readonly context: Context; readonly script: Script } | undefined;

/** Only a script of its own can be stopped in the middle of a match. */
function matchElsewhere(source: string, lines: readonly string[]): readonly string[] {
  matcher ??= {
    context: createContext({}),
    script: new Script(
      `{ const expression = new RegExp(source, 'i');
         lines.map((line, index) => (expression.test(line.slice(0, ${MAX_LINE})) ? index : -1)).filter((index) => index >= 0) }`,
    ),
  };
  matcher.context.source = source;
  matcher.context.lines = lines;
  const indexes: readonly number[] = matcher.script.runInContext(matcher.context, {
    timeout: PIECE_TIMEOUT_MS,
  });
  matcher.context.lines = [];
  return indexes.map((index) => lines[index] ?? '');
}

function isExpression(source: string): boolean {
  try {
    new RegExp(source, 'i');
    return true;
  } catch {
    return false;
  }
}
