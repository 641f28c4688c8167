/** Reads a state file that another program may be writing, replacing or holding at this moment. */
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { decodeText } from './decode.ts';
import { parseState, type StateFile, StateFileError } from './schema.ts';

export interface ReadOptions {
  /** How long a locked or half-written file is tried again, ms. */
  readonly retryMs?: number;
  readonly signal?: AbortSignal;
  /** Reads the bytes; replaced in tests. */
  readonly readBytes?: (path: string) => Promise<Uint8Array>;
}

/** No state file there. */
export class StateFileMissing extends StateFileError {
  constructor(path: string) {
    super(
      `There is no state file at ${path}. WinRM-MCP's configure_kdnet() writes it: call that first. Both servers need the same path: compare kd.state_file here with the path configured there, or pass state_file.`,
    );
  }
}

/** What other programs cause for a moment: virus scanners, writers without sharing, a rename in progress. */
const transient: ReadonlySet<unknown> = new Set(['EBUSY', 'EPERM', 'EACCES', 'EAGAIN', 'UNKNOWN']);
const pauseMs = 50;

/**
 * Reads and checks a state file.
 * @throws StateFileMissing, or StateFileError naming the path and each wrong field (never the key).
 */
export async function readStateFile(path: string, options: ReadOptions = {}): Promise<StateFile> {
  const until = performance.now() + (options.retryMs ?? 1000);
  for (;;) {
    const attempt = await tryRead(path, options.readBytes ?? readFile);
    if ('state' in attempt) return attempt.state;
    if (!attempt.retry || performance.now() >= until || options.signal?.aborted === true) throw attempt.error;
    await delay(pauseMs, undefined, { signal: options.signal }).catch(() => undefined);
  }
}

type Attempt = { readonly state: StateFile } | { readonly error: StateFileError; readonly retry: boolean };

async function tryRead(path: string, readBytes: (path: string) => Promise<Uint8Array>): Promise<Attempt> {
  let text: string;
  try {
    text = decodeText(await readBytes(path));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { error: new StateFileMissing(path), retry: false };
    return {
      error: new StateFileError(
        code === 'EISDIR'
          ? `The state file ${path} is a folder: set kd.state_file to the file that configure_kdnet() writes.`
          : `The state file ${path} cannot be read (${String(code)}): another program holds it, or this account may not read it.`,
      ),
      retry: transient.has(code),
    };
  }
  const json = parseJson(text);
  if (json === undefined) {
    const what = text.trim() === '' ? 'is empty' : 'is not complete JSON';
    return {
      error: new StateFileError(`The state file ${path} ${what}. Let configure_kdnet() write it again.`),
      retry: true,
    };
  }
  try {
    return { state: parseState(json.value) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      error: new StateFileError(
        `The state file ${path} cannot be used: ${why}. Let configure_kdnet() write it again.`,
      ),
      retry: false,
    };
  }
}

/** The parser's own message quotes the text, which holds the key: it is not passed on. */
function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
