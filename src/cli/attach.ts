/**
 * `kd-mcp attach`: a person's console on a session. Everybody's commands and the target's output stream in; lines typed here go to
 * kd. Ctrl+C breaks in or interrupts, Ctrl+D detaches and leaves the session alone.
 */
import { createInterface, type Interface } from 'node:readline';
import { neutralise } from '../client/neutralise.ts';
import type { Session } from '../client/sessions.ts';
import type { OutputRole, SessionInfo } from '../host/protocol.ts';
import { effectOf } from '../kd/command.ts';
import { eventWords, stateLine } from '../tools/status.ts';
import { openPerson } from './person.ts';
import type { GlobalOptions } from './program.ts';

/** Shown of the past. */
const HISTORY_BYTES = 4_000;
/** A command is watched through the stream, so its request need not wait for it. */
const REQUEST_MS = 1_000;

export async function attach(id: string | undefined, options: GlobalOptions): Promise<number> {
  const sessions = openPerson(options);
  try {
    const session = await sessions.open(id);
    return await new AttachedConsole(session).run();
  } finally {
    sessions.dispose();
  }
}

/** Owns the terminal while it runs. */
class AttachedConsole {
  readonly #session: Session;
  readonly #lines: Interface;
  #state: string;
  /** Ends `run`. */
  #leave: (code: number) => void = () => undefined;
  #queue: Promise<void> = Promise.resolve();

  constructor(session: Session) {
    this.#session = session;
    this.#state = session.info.status.state;
    this.#lines = createInterface({
      input: process.stdin,
      output: process.stdout,
      terminal: process.stdin.isTTY === true,
    });
  }

  async run(): Promise<number> {
    const { info } = this.#session;
    this.#say(`[${stateLine(info)}]`);
    this.#say('[Ctrl+C breaks in or interrupts, Ctrl+D leaves; the session goes on]');
    const left = new Promise<number>((resolve) => {
      this.#leave = resolve;
    });
    const closed = this.#session.onClose(() => {
      this.#say(`[the session has ended${reason(this.#session.info)}]`);
      this.#leave(0);
    });
    const changes = this.#session.onChange((now) => this.#stateChanged(now));
    const following = await this.#session.follow(Math.max(0, info.transcriptEnd - HISTORY_BYTES), (piece) =>
      this.#show(piece.text, piece.role),
    );
    this.#lines.on('line', (line) => {
      this.#queue = this.#queue.then(() => this.#typed(line)).catch((error: unknown) => this.#fail(error));
    });
    this.#lines.on('SIGINT', () => void this.#interrupt());
    // Piped input: what was typed before the end is still carried out.
    this.#lines.once('close', () => void this.#queue.then(() => this.#leave(0)));
    this.#prompt();
    const code = await left;
    following.dispose();
    changes.dispose();
    closed.dispose();
    this.#lines.close();
    return code;
  }

  async #typed(line: string): Promise<void> {
    this.#session.touch();
    const asking = this.#session.info.status.state === 'asking';
    if (line.trim() === '' && !asking) return this.#prompt();
    if (!asking && effectOf(line).endsSession) return this.#stop(line);
    if (/^g\s*$/.test(line)) {
      const went = await this.#session.go(0);
      if (went.error !== undefined) this.#say(`[${went.error}]`);
      return;
    }
    const { results } = await this.#session.command([line], {
      timeoutMs: REQUEST_MS,
      ...(asking ? { answer: true } : {}),
    });
    for (const result of results) {
      if (result.outcome === 'dropped') this.#say(`[not sent: ${result.error ?? ''}]`);
    }
  }

  /** `q` would leave a halted guest frozen: ask what is meant. */
  async #stop(line: string): Promise<void> {
    const frozen = /^\s*q(\s|$)/.test(line) && !/^\s*q[qd]/.test(line);
    const answer = await this.#ask(
      frozen
        ? '[end the session for everybody and let the guest run? y = yes, f = leave it frozen, n = no] '
        : '[end the session for everybody? The guest runs on. y/n] ',
    );
    if (!/^[yf]/i.test(answer)) return this.#prompt();
    const { guest, detail } = await this.#session.stop(
      /^f/i.test(answer) && frozen ? 'leave_frozen' : 'resume',
    );
    this.#say(`[ended; guest: ${guest}${detail === '' ? '' : `. ${detail}`}]`);
    this.#leave(0);
  }

  #ask(question: string): Promise<string> {
    return new Promise((resolve) => {
      this.#lines.question(question, resolve);
      this.#lines.once('close', () => resolve(''));
    });
  }

  async #interrupt(): Promise<void> {
    try {
      this.#session.touch();
      const result = await this.#session.breakIn(20_000);
      if (result.outcome === 'already') this.#prompt();
      else if (result.error !== undefined) this.#say(`[${result.error}]`);
      else if (result.outcome === 'pending') this.#say('[break asked for, no stop yet]');
    } catch (error) {
      this.#fail(error);
    }
  }

  #stateChanged(info: SessionInfo): void {
    const { state, halt } = info.status;
    if (state === this.#state) return;
    this.#state = state;
    if (state === 'running') this.#say('[running]');
    else if (state === 'broken' && halt) this.#prompt();
    else if (state === 'ended') this.#say(`[kd has ended${reason(info)}]`);
  }

  /** Prompts and command lines are part of the transcript; one's own typed line is on the screen already. */
  #show(text: string, role: OutputRole): void {
    if (role.kind === 'prompt') return;
    const own =
      role.kind === 'command' && role.by.kind === 'person' && role.by.name === personName(this.#session);
    if (own && process.stdin.isTTY === true) return;
    const by = role.kind === 'command' && !own ? `[${role.by.name}] ` : '';
    this.#write(by + neutralise(text));
  }

  #write(text: string): void {
    const typed = this.#lines.line;
    if (process.stdout.isTTY === true) process.stdout.write('\r\u001b[K');
    process.stdout.write(text);
    if (typed !== '' && text.endsWith('\n')) this.#lines.prompt(true);
  }

  #say(text: string): void {
    this.#write(`${neutralise(text)}\n`);
  }

  #prompt(): void {
    const { prompt, state, lastEvent } = this.#session.info.status;
    this.#lines.setPrompt(
      prompt === undefined
        ? `[${state}${state === 'broken' && lastEvent ? `: ${eventWords(lastEvent)}` : ''}] `
        : `${neutralise(prompt)} `,
    );
    if (process.stdin.isTTY === true) this.#lines.prompt(true);
  }

  #fail(error: unknown): void {
    this.#say(`[${error instanceof Error ? error.message : String(error)}]`);
    this.#prompt();
  }
}

function reason(info: SessionInfo): string {
  return info.status.exit === undefined ? '' : `: ${info.status.exit.reason}`;
}

/** The name under which this console is known to the host. */
function personName(session: Session): string | undefined {
  void session;
  return undefined;
}
