/**
 * `kd-mcp attach`: a person's console on a session. Everybody's commands and the target's output stream in; lines typed
 * here go to kd. Ctrl+C breaks in or interrupts, Ctrl+D detaches and leaves the session alone.
 */
import type { Session } from '../client/sessions.ts';
import type { ClientIdentity, OutputRole, SessionInfo } from '../host/protocol.ts';
import { effectOf } from '../kd/command.ts';
import { stateLine } from '../tools/status.ts';
import { openPerson } from './person.ts';
import type { GlobalOptions } from './program.ts';
import { Screen } from './screen.ts';
import { endWords, whyNotNow } from './words.ts';

/** Shown of the past. */
const HISTORY_BYTES = 4_000;
/** A person watches a command by its output: the request itself waits as long as it takes. */
const NO_LIMIT_MS = 86_400_000;
const BREAK_MS = 20_000;

export async function attach(id: string | undefined, options: GlobalOptions): Promise<number> {
  const sessions = openPerson(options);
  try {
    const session = await sessions.open(id);
    return await new Attachment(session, sessions.identity).run();
  } finally {
    sessions.dispose();
  }
}

class Attachment {
  readonly #session: Session;
  readonly #me: ClientIdentity;
  readonly #screen: Screen;
  readonly #left = Promise.withResolvers<number>();
  /** Lines are carried out one after the other. */
  #work: Promise<void> = Promise.resolve();
  /** Typed here, so that they are on the screen already. */
  readonly #typed: string[] = [];
  #state: string;

  constructor(session: Session, me: ClientIdentity) {
    this.#session = session;
    this.#me = me;
    this.#state = session.info.status.state;
    this.#screen = new Screen(process.stdin, process.stdout, {
      onLine: (line) => this.#enqueue(line),
      onInterrupt: () => void this.#interrupt(),
      onEnd: () => void this.#detach(),
    });
    process.stdout.on('error', () => this.#left.resolve(0));
  }

  async run(): Promise<number> {
    const { info } = this.#session;
    const subscriptions = [
      this.#session.onClose(() => this.#ended()),
      this.#session.onChange((now) => this.#changed(now)),
    ];
    const from = this.#screen.interactive ? await this.#recall(info) : info.transcriptEnd;
    this.#screen.say(stateLine(info));
    if (this.#screen.interactive)
      this.#screen.say('Ctrl+C breaks in or interrupts, Ctrl+D leaves; the session goes on');
    subscriptions.push(await this.#session.follow(from, ({ text, role }) => this.#show(text, role)));
    this.#promptFor(info);
    const code = await this.#left.promise;
    for (const subscription of subscriptions) subscription.dispose();
    this.#screen.close();
    return code;
  }

  /** Shows the last of the past, whole lines of it, and says where it ends. What to do here comes below it, in sight. */
  async #recall({ transcriptEnd }: SessionInfo): Promise<number> {
    const past = await this.#session.read({ from: -HISTORY_BYTES, maxBytes: HISTORY_BYTES });
    const begin = past.from === 0 ? 0 : past.text.indexOf('\n') + 1;
    // The prompt that ends it is shown again where one types.
    this.#screen.write(past.text.slice(begin, past.text.lastIndexOf('\n') + 1));
    return past.text === '' ? transcriptEnd : past.to;
  }

  #enqueue(line: string): void {
    this.#work = this.#work
      .then(() => this.#carryOut(line))
      .catch((error: unknown) => this.#screen.say(error instanceof Error ? error.message : String(error)))
      .then(() => this.#promptFor(this.#session.info));
  }

  async #carryOut(line: string): Promise<void> {
    this.#session.touch();
    const asking = this.#session.info.status.state === 'asking';
    if (line.trim() === '' && !asking) return;
    if (!asking && effectOf(line).endsSession) return this.#stop(line);
    const refusal = whyNotNow(this.#session.info.status);
    if (refusal !== undefined) return this.#screen.say(refusal);
    this.#typed.push(line);
    try {
      if (!(await this.#send(line, asking))) this.#forget(line);
    } catch (error) {
      this.#forget(line);
      throw error;
    }
  }

  /** False when kd never got it. */
  async #send(line: string, asking: boolean): Promise<boolean> {
    if (!asking && line.trim() === 'g') {
      const { outcome, error } = await this.#session.go(0);
      if (error !== undefined) this.#screen.say(error);
      return outcome !== 'already';
    }
    const { results } = await this.#session.command([line], {
      timeoutMs: NO_LIMIT_MS,
      ...(asking ? { answer: true } : {}),
    });
    const dropped = results.find(({ outcome }) => outcome === 'dropped');
    if (dropped !== undefined) this.#screen.say(dropped.error ?? 'not sent');
    return dropped === undefined;
  }

  /** A line that kd never got does not come back as output. */
  #forget(line: string): void {
    const index = this.#typed.indexOf(line);
    if (index >= 0) this.#typed.splice(index, 1);
  }

  /** `q` would leave a halted guest frozen, `qd` ends the session for everybody: ask what is meant. */
  async #stop(line: string): Promise<void> {
    if (!this.#screen.interactive) {
      this.#screen.say(`${line.trim()} is not sent from here: kd-mcp stop ends the session`);
      return;
    }
    const quit = /^\s*q\s*$/i.test(line);
    const question = quit
      ? 'End the session for everybody? y = yes, the guest runs on; f = leave it as it is, frozen; n = no'
      : 'End the session for everybody? The guest runs on. y/n';
    const answer = (await this.#screen.ask(question)).trim().toLowerCase();
    const frozen = quit && answer === 'f';
    if (answer !== 'y' && !frozen) return;
    const { guest, detail } = await this.#session.stop(frozen ? 'leave_frozen' : 'resume');
    this.#screen.say(endWords(this.#session.id, guest, detail));
    this.#left.resolve(0);
  }

  async #interrupt(): Promise<void> {
    this.#session.touch();
    try {
      const { outcome, error } = await this.#session.breakIn(BREAK_MS);
      if (error !== undefined) this.#screen.say(error);
      else if (outcome === 'pending') this.#screen.say('break asked for; no stop yet');
    } catch (error) {
      this.#screen.say(error instanceof Error ? error.message : String(error));
    }
    this.#promptFor(this.#session.info);
  }

  /** Piped input is carried out to its end, and its output seen; a person leaves at once. */
  async #detach(): Promise<void> {
    if (!this.#screen.interactive) {
      await this.#work;
      await this.#session.refresh().catch(() => undefined);
    }
    this.#left.resolve(0);
  }

  #ended(): void {
    this.#screen.say(`the session has ended${reasonOf(this.#session.info)}`);
    this.#left.resolve(0);
  }

  #changed(info: SessionInfo): void {
    if (info.status.state === this.#state) return;
    this.#state = info.status.state;
    if (this.#screen.interactive) this.#promptFor(info);
  }

  #show(text: string, role: OutputRole): void {
    if (role.kind === 'command' && this.#isMine(text, role)) return;
    if (role.kind === 'prompt' && this.#screen.interactive) return;
    const others =
      role.kind === 'command' && (role.by.kind !== this.#me.kind || role.by.name !== this.#me.name);
    this.#screen.write(others ? `${this.#session.info.status.prompt ?? ''} {${role.by.name}} ${text}` : text);
  }

  #isMine(text: string, role: Extract<OutputRole, { kind: 'command' }>): boolean {
    if (!this.#screen.interactive || role.by.name !== this.#me.name) return false;
    if (this.#typed[0]?.trim() !== text.trim()) return false;
    this.#typed.shift();
    return true;
  }

  #promptFor({ status }: SessionInfo): void {
    this.#screen.prompt(status.prompt ?? `[${status.state}]`);
  }
}

function reasonOf(info: SessionInfo): string {
  return info.status.exit === undefined ? '' : `: ${info.status.exit.reason}`;
}
