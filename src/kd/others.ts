/**
 * Other users of the same kd: they came through its debugging server, or it is itself a client of another debugger
 * (kd-behaviour.md §9.2, engine-facts.md). Their lines are told apart here; what they do to the state is session.ts.
 *
 * A driver can print such a line too. A pipe's name stands in it, which a guest does not know; and it is only a hint: that
 * the target ran is believed when kd does not answer at its prompt.
 */
import { eventOf } from './events.ts';
import { kernelFields } from './kernel-string.ts';
import type { Actor } from './model.ts';
import { promptAtStart, stripPrompts } from './prompts.ts';

/** The debugger that a client is connected to has no bracket before its commands (transcript 30). */
export const OWNER = 'the owner of the debugger';

export interface OthersCommand {
  readonly user: string;
  readonly command: string;
}

/** A part of the text that kd printed; with `command` it is the command line of another user. */
export type SharedText =
  | { readonly text: string; readonly command?: undefined }
  | { readonly text: string; readonly command: OthersCommand };

/** Somebody at another debugger is taken for a person: an agent's kd is never a server's client without one. */
export function actorOf(user: string): Actor {
  return { kind: 'person', name: user };
}

/** Where others can come from, and so which lines are theirs. */
export class Others {
  /** `npipe NAME` as it stands in a user's name; of other protocols an address does, so only the word counts. */
  readonly #doors = new Set<string>();

  /** A debugging server: what was given to `.server`, or to `-remote`. */
  expect(server: string): void {
    const parsed = kernelFields(server);
    if (parsed === undefined) return;
    const { protocol, fields } = parsed;
    this.#doors.add(protocol === 'npipe' ? `npipe ${fields.get('pipe') ?? ''}`.toLowerCase() : protocol);
  }

  /** Others may be there at all. */
  get possible(): boolean {
    return this.#doors.size > 0;
  }

  /** Did this user come through a server that is known? A guest can print any other name. */
  knows(user: string): boolean {
    const door = / \((([a-z]+) [^)]*)\)$/.exec(user);
    if (door === null) return user === OWNER;
    return this.#doors.has((door[1] ?? '').toLowerCase()) || this.#doors.has(door[2] ?? '');
  }

  /**
   * The command of another user that a line is.
   *
   * @param client kd is a client, at its prompt: a line that begins with a prompt is the owner's.
   */
  command(line: string, client: boolean): OthersCommand | undefined {
    const bare = stripPrompts(line);
    const event = eventOf(bare);
    if (event?.kind === 'user-command')
      return this.knows(event.user) ? { user: event.user, command: event.command } : undefined;
    if (!client || bare === line || bare.trim() === '') return undefined;
    return promptAtStart(line) === undefined ? undefined : { user: OWNER, command: bare };
  }

  /** `text` with the command lines of others as parts of their own. */
  split(text: string, client: boolean): readonly SharedText[] {
    if (!this.possible || (!client && !text.includes('] '))) return [{ text }];
    const parts: SharedText[] = [];
    let plain = '';
    for (const line of text.split(/(?<=\n)/)) {
      const command = line.endsWith('\n') ? this.command(line.slice(0, -1), client) : undefined;
      if (command === undefined) {
        plain += line;
        continue;
      }
      if (plain !== '') parts.push({ text: plain });
      parts.push({ text: line, command });
      plain = '';
    }
    if (plain !== '') parts.push({ text: plain });
    return parts;
  }
}

/** How another user's command ends kd: `q` and `qd` are refused to clients, `qq` and `qqd` are not (engine-facts.md). */
export function endOf(
  { user, command }: OthersCommand,
  client: boolean,
): { readonly reason: string; readonly target: 'running' | 'halted' | 'unknown' } | undefined {
  const quit = /^\s*(qq?)(d?)\s*$/i.exec(command);
  if (quit === null || (!client && quit[1]?.length === 1)) return undefined;
  const reason = `${user} ended the debugger (${command.trim()})`;
  return { reason, target: client ? 'unknown' : quit[2] === '' ? 'halted' : 'running' };
}

/** HRESULTs of a server that does not take a client (engine-facts.md; 0x80004005 and 0x80070005 as documented). */
const REFUSED = new Set([0x80010007, 0x80004005, 0x80070005]);
const NOT_THERE = new Set([0x80070002, 0x80070003, 0x800706ba, 0x8007274d, 0x80070035]);

/** Why a kd that is a client has ended. `words`: what it said before it had joined. */
export function clientExit(joined: boolean, code: number | null, words: string): string {
  if (joined)
    return 'the debugger that was joined has ended, or closed the connection; what its target does is up to its owner';
  const said = /\b0x(8[0-9a-f]{7})\b/i.exec(words)?.[1];
  const result = said === undefined ? (code ?? 0) >>> 0 : Number.parseInt(said, 16);
  if (REFUSED.has(result))
    return 'the debugger refused the connection: the password is wrong, or its server was told to end. Use the line that it printed last (kd-mcp share, or .servers there)';
  if (NOT_THERE.has(result))
    return 'no debugger listens there: it has ended, or the name of the pipe, the port or the machine is wrong. Open the server again, then join';
  return `kd could not join the debugger (exit code ${code ?? 'unknown'})`;
}
