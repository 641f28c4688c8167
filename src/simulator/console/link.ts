/** The connection between kd and the guest: coming up, being lost, and what kd prints about it. */
import type { Debugger } from './debugger.ts';
import { connectionText, linkText, shutdownText } from './events.ts';
import type { Output } from './output.ts';

export interface LinkEvents {
  /** The guest can be reached (again). */
  readonly onUp: () => void;
  /** The session with the guest is over. */
  readonly onLost: () => void;
}

/** `linked`: packets pass, nothing is known of the kernel yet. */
type LinkState = 'down' | 'linked' | 'established';

const RETRY_MS = 2200;

const SEEMS_LOST =
  'The transport connection between host kernel debugger and target Windows seems lost.\n' +
  'please try resync with target, recycle the host debugger, or reboot the target Windows.\n';

const HARD_RESET =
  'KDNET received an out of sequence ping packet.\n' +
  'The target machine restarted without notifying the debugger.\n' +
  'Transport link disconnected. Forcing a debugger reconnect...\n';

const WRONG_KEY = `
Packet failed authentication.  Please make sure the host and target encryption
keys match exactly. Also make sure you don't have multiple target machines
pointed at the same network port on your host.
Bad packet sent from 127.0.0.1.
Run nslookup 127.0.0.1 from a command prompt to get the machine name.
`;

const NOISE = 'Error getting port connector information: 0x00000057\n';

export class Link {
  readonly #kd: Debugger;
  readonly #output: Output;
  readonly #events: LinkEvents;
  readonly #timers = new Set<NodeJS.Timeout>();
  #state: LinkState = 'down';
  #vanished = false;
  #connects = 0;
  /** The boot of the guest that kd knows. */
  #knownBoot = 0;
  #retries = 0;
  #retrySince: number | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  #noise: NodeJS.Timeout | undefined;

  constructor(kd: Debugger, output: Output, events: LinkEvents) {
    this.#kd = kd;
    this.#output = output;
    this.#events = events;
  }

  get state(): LinkState {
    return this.#state;
  }

  /** Packets get lost. */
  get vanished(): boolean {
    return this.#vanished;
  }

  /** kd waits for a target, which the scenario lets appear. */
  wait(): void {
    const { scenario } = this.#kd;
    if (scenario.noise) this.setNoise(true);
    if (scenario.wrongKey) this.#timers.add(setInterval(() => this.#output.print(WRONG_KEY), 1000));
    if (scenario.linkAfter !== undefined)
      this.#timers.add(setTimeout(() => this.appear(), scenario.linkAfter));
  }

  /** Another part of the guest takes the connection over in a moment. */
  restart(ms: number): void {
    this.#state = 'down';
    this.#timers.add(setTimeout(() => this.appear(), ms));
  }

  /** A target offers itself. */
  appear(): void {
    const { machine, options, scenario } = this.#kd;
    if (this.#state !== 'down' || machine.state === 'off' || scenario.wrongKey) return;
    this.#state = 'linked';
    this.#knownBoot = machine.boots;
    this.#output.print(linkText(options.target));
    if (this.#kd.bootReports) {
      // A booting kernel reports by itself (kd-behaviour.md §3.5).
      this.#kd.bootReports = false;
      this.#output.print('KDTARGET: Refreshing KD connection\n');
      this.establish();
    }
    this.#events.onUp();
  }

  /** A dump or the local kernel. */
  openAtOnce(): void {
    this.#state = 'linked';
    this.#knownBoot = this.#kd.machine.boots;
  }

  /** The kernel is known now: prints the lines of a connection once. */
  establish(): void {
    if (this.#state === 'established') return;
    this.#state = 'established';
    this.#output.print(connectionText(this.#kd, this.#connects++ > 0));
  }

  /** The guest went away; `first` says how it was noticed. */
  lose(first: string): void {
    if (this.#state === 'down') return;
    this.#state = 'down';
    this.#kd.forgetTarget();
    this.#events.onLost();
    this.#output.print(first + shutdownText(this.#kd.options.target));
  }

  /** The guest is up again, after a shutdown that kd heard of or one that it did not. */
  targetBooted(): void {
    if (this.#state === 'down') {
      this.#kd.bootReports = true;
      this.appear();
      return;
    }
    // While kd sits at a prompt it hears nothing (engine.md §5).
    if (this.#kd.halted()) return;
    this.#loseSilently();
  }

  /** May a command ask the guest something now? Notices there what happened behind kd's back. */
  touch(): 'ok' | 'wait' | 'lost' {
    const { machine } = this.#kd;
    const stale = this.#state !== 'down' && machine.boots !== this.#knownBoot;
    if (this.#vanished || machine.state === 'off') {
      this.#retrySince ??= performance.now();
      this.#retryTimer ??= setInterval(() => this.#retry(), RETRY_MS);
      return 'wait';
    }
    this.#endRetries();
    if (!stale) return 'ok';
    this.#loseSilently();
    return 'lost';
  }

  vanish(): void {
    this.#vanished = true;
  }

  /** Packets pass again. */
  back(): void {
    if (!this.#vanished) return;
    this.#vanished = false;
    this.#events.onUp();
  }

  /** Switches the port connector line of some engine versions (kd-behaviour.md §2.3). */
  setNoise(on: boolean): void {
    clearInterval(this.#noise);
    this.#noise = undefined;
    this.#output.filter = undefined;
    if (!on) return;
    const make = () => this.#output.inject(NOISE);
    make();
    this.#noise = setInterval(make, 1000);
  }

  dispose(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    clearInterval(this.#noise);
    clearInterval(this.#retryTimer);
  }

  #loseSilently(): void {
    const net = this.#kd.options.target.kind === 'net';
    this.lose(`${net ? HARD_RESET : ''}${this.#kd.inDump() ? '-- User interrupt\n' : ''}`);
    this.#timers.add(setTimeout(() => this.appear(), 100));
  }

  #retry(): void {
    this.#retries++;
    if (this.#kd.scenario.retryLive) this.#output.print(this.#retryLine(this.#retries));
  }

  #retryLine(count: number): string {
    return `... Retry sending the same data packet for ${count * 64} times.\n${count === 1 ? SEEMS_LOST : ''}`;
  }

  /** The lines of all retries come at once when the link is back (engine.md §5), unless they came as they happened. */
  #endRetries(): void {
    clearInterval(this.#retryTimer);
    this.#retryTimer = undefined;
    if (this.#retrySince === undefined) return;
    this.#retrySince = undefined;
    const count = this.#retries;
    this.#retries = 0;
    if (this.#kd.scenario.retryLive) return;
    for (let i = 1; i <= count; i++) this.#output.print(this.#retryLine(i));
  }
}
