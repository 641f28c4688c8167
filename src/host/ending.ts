/** The end of a session: everybody is told, the record says how it came, nothing is left running. */
import { existsSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import type { KdExit } from '../kd/model.ts';
import type { SessionCore } from './core.ts';
import type { Disposable } from './disposable.ts';
import { breakpointWords, howItEnded, isForsaken, withBreakpoints } from './forsaken.ts';
import type { HostLog } from './log.ts';
import type { RecordWriter } from './record-writer.ts';
import { endRecord } from './records.ts';
import { guestAfter } from './run-control.ts';
import type { SessionServer } from './server.ts';
import { REMARK } from './session-parts.ts';

const LAST_WORDS_BYTES = 2_000;
const LAST_WORDS_LINES = 12;
/** Up to here kd prints the same at each start (kd-behaviour.md §3.2). */
const BANNER = /^(Microsoft \(R\) Windows Debugger Version |Copyright \(c\) Microsoft)/;
const CLOSE_MS = 2_000;

/** kd's own last words: they say best why it did not start. */
export function startFailure(core: SessionCore, exit: KdExit): string {
  const lines = core.transcript
    .read(-LAST_WORDS_BYTES, LAST_WORDS_BYTES)
    .text.split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith(REMARK));
  const said = lines
    .slice(lines.findLastIndex((line) => BANNER.test(line)) + 1)
    .slice(-LAST_WORDS_LINES)
    .join('\n');
  const { transport, kdProgram } = core.facts;
  const program = transport === 'simulator' ? 'The simulated kd' : basename(kdProgram);
  return [
    `${program} did not start a session: ${exit.reason}`,
    ...(said === '' ? [] : [`It said:\n${said}`]),
    `Its output stays readable: read_output(session_id="${core.facts.id}").`,
  ].join('\n');
}

/** What a session holds besides its core. */
export interface Parts {
  readonly home: string;
  readonly writer: RecordWriter;
  readonly server: SessionServer;
  readonly watchdog: Disposable;
  readonly work: string;
  readonly log: HostLog;
}

/** Takes a session apart whose kd is gone. `forsaken`: see {@link isForsaken}. */
export async function finish(
  core: SessionCore,
  exit: KdExit,
  parts: Parts,
): Promise<{ readonly forsaken: boolean }> {
  const { home, writer, server, watchdog, work, log } = parts;
  const how = howItEnded(core.stopping, exit);
  const left = how === 'stopped' ? 0 : core.breakpoints.left;
  const guest = withBreakpoints(guestAfter(exit), left);
  const forsaken = isForsaken(core, exit, guest);
  watchdog.dispose();
  try {
    core.turns.dropAll('Not sent: the session has ended.');
    const words = guest === 'unknown' && left > 0 ? breakpointWords(left) : guestWords(exit);
    const reason = `${endReason(exit)}. ${words}`;
    core.remark(`The session has ended: ${reason}`);
    core.transcript.flush();
    writer.dispose();
    // A home that was deleted is not made again for this.
    if (!existsSync(home)) throw new Error(`${home} is gone`);
    endRecord(home, writer.record, {
      at: exit.at,
      reason,
      guest,
      how,
    });
  } catch (error) {
    log.write('the session could not be ended in order', error);
  }
  await server.close(CLOSE_MS);
  core.dispose();
  rmSync(work, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  return { forsaken };
}

/** With the exit code, unless the engine has named it or it says nothing. */
function endReason({ reason, code }: KdExit): string {
  const words = reason.replace(/\.$/, '');
  if (code === null || code === 0 || /exit code/.test(words)) return words;
  return `${words} (exit code ${code > 0xffff ? `0x${code.toString(16).toUpperCase()}` : code})`;
}

function guestWords(exit: KdExit): string {
  switch (exit.target) {
    case 'running':
      return 'The target was running when kd ended, and goes on.';
    case 'halted':
      return 'The target was halted when kd ended, and stays frozen until a debugger lets it run.';
    case 'absent':
      return 'No target was connected.';
    case 'unknown':
      return 'What the target does is not known.';
  }
}
