/** The last commands of a session, from the index beside its transcript. */
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { IndexedCommand } from '../host/command-index.ts';

export type PastCommand = Pick<IndexedCommand, 'seq' | 'text' | 'by' | 'at' | 'error'>;

/** Enough for the last few commands, however long they are (4,096 characters at the most). */
const TAIL_BYTES = 32 * 1024;

export interface RecentCommands {
  /** Size of the index: equal means that nothing was added. */
  readonly size: number;
  /** The newest first. */
  readonly commands: readonly PastCommand[];
}

/** Reads the last `count` commands; `known` comes back as it is when nothing was added. Never rejects. */
export async function readRecentCommands(
  transcriptPath: string,
  count: number,
  known?: RecentCommands,
): Promise<RecentCommands> {
  const file = await open(join(dirname(transcriptPath), 'commands.jsonl'), 'r').catch(() => undefined);
  // It is made with the first command.
  if (file === undefined) return { size: 0, commands: [] };
  try {
    const { size } = await file.stat();
    if (size === known?.size) return known;
    const from = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n');
    // The first may be half a line; so may be the last, while it is written.
    const whole = lines.slice(from === 0 ? 0 : 1, -1);
    return { size, commands: whole.slice(-count).reverse().flatMap(parsed) };
  } catch {
    return known ?? { size: 0, commands: [] };
  } finally {
    await file.close();
  }
}

function parsed(line: string): readonly PastCommand[] {
  try {
    const command: IndexedCommand = JSON.parse(line);
    return [command];
  } catch {
    return [];
  }
}
