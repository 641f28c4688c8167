/** One guest on the wire: machine, debugger support, link, and what surrounds them. */
import { saveGuest } from '../console/guest-file.ts';
import type { Happening } from '../console/scenarios.ts';
import { Timeline } from '../console/timeline.ts';
import { createWinRmPort, type WinRmPort } from '../console/winrm.ts';
import { happenInGuest } from '../happenings.ts';
import { createMachine, type Machine, type MachineEvent } from '../machine/machine.ts';
import { boot, reboot } from '../machine/power.ts';
import { ASSERTION, ask, breakIn, hitHardBreak, print } from '../machine/run.ts';
import { createNetwork } from './impairment.ts';
import type { SessionKeys } from './keys.ts';
import { KdnetLink } from './link.ts';
import type { WireOptions } from './options.ts';
import { KdTarget } from './target.ts';

export interface SimulationEvents {
  /** A line that tells a person what happens. */
  readonly tell: (line: string) => void;
  readonly onExit: () => void;
}

export class Simulation {
  readonly machine: Machine;
  readonly target: KdTarget;
  readonly link: KdnetLink;
  readonly #options: WireOptions;
  readonly #events: SimulationEvents;
  readonly #timeline: Timeline;
  readonly #winrm: WinRmPort | undefined;
  readonly #timers = new Set<NodeJS.Timeout>();
  #ranAt = Number.NEGATIVE_INFINITY;
  #mayOwe: boolean;
  #bootsAgain = true;

  constructor(options: WireOptions, events: SimulationEvents) {
    const { scenario } = options;
    this.#options = options;
    this.#events = events;
    this.#mayOwe = scenario.owesBreak;
    this.machine = createMachine(scenario);
    this.#winrm = options.winrm && createWinRmPort(options.winrm.host, options.winrm.port);
    this.#timeline = new Timeline(scenario, (event) => this.happen(event));
    this.link = new KdnetLink(
      {
        host: { address: options.host, port: options.port },
        keys: scenario.wrongKey ? otherKeys(options.keys) : options.keys,
        version: options.version,
        network: createNetwork(options),
      },
      { onHost: () => this.#hostArrived(), onBody: (body) => this.target.receive(body) },
    );
    this.target = new KdTarget(this.machine, {
      transmit: (body) => this.link.send(body),
      isConnected: () => this.link.connected,
      onBreakRequest: () => this.#breakRequested(),
      onDown: () => this.#down(),
      onGuest: (event) => this.#onGuest(event),
      onAnswer: (text) => this.#answered(text),
    });
  }

  start(): void {
    this.#publish();
    const { linkAfter, wrongKey } = this.#options.scenario;
    if (linkAfter !== undefined) this.#later(linkAfter, () => this.link.offer());
    else if (wrongKey) this.link.offer();
  }

  /** Makes an event happen; returns false when it cannot happen now. */
  happen(event: Happening): boolean {
    switch (event.what) {
      case 'vanish':
      case 'back':
        this.link.setSilent(event.what === 'vanish');
        return true;
      case 'exit':
        this.#events.onExit();
        return true;
      default:
        return happenInGuest(this.machine, event);
    }
  }

  /** The guest shuts down and stays off; `appear` boots it. */
  shutDown(): boolean {
    if (this.machine.state !== 'running') return false;
    this.#bootsAgain = false;
    reboot(this.machine);
    return true;
  }

  /** A target that waits for its moment offers itself; one that is off boots. */
  appear(): void {
    this.#bootsAgain = true;
    // One that is still on its way down boots after that.
    if (this.target.leaving) return;
    if (this.machine.state === 'off') boot(this.machine);
    this.link.offer();
  }

  dispose(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timeline.dispose();
    this.target.dispose();
    this.link.dispose();
    this.#winrm?.dispose();
  }

  #later(ms: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      act();
    }, ms);
    this.#timers.add(timer);
  }

  #hostArrived(): void {
    this.#events.tell('a debugger has connected');
    this.target.hostArrived();
    this.#timeline.begin('link');
  }

  #breakRequested(): void {
    const { swallowMs, breakLatency } = this.#options.scenario;
    if (performance.now() - this.#ranAt < swallowMs) return;
    this.#later(breakLatency, () => {
      if (this.#mayOwe) {
        this.#mayOwe = false;
        hitHardBreak(this.machine, 'mydriver!MyTimerRoutine');
      }
      breakIn(this.machine);
    });
  }

  #onGuest(event: MachineEvent): void {
    if (event.kind === 'print' || event.kind === 'ask') return;
    this.#events.tell(`guest: ${event.kind === 'stop' ? `stopped (${event.stop.kind})` : event.kind}`);
    this.#publish();
    if (event.kind === 'stop') this.#timeline.begin('stop');
    if (event.kind === 'boot') this.link.offer();
    if (event.kind !== 'run') return;
    this.#ranAt = performance.now();
    this.#timeline.begin('go');
  }

  #down(): void {
    this.link.close();
    if (this.#bootsAgain) this.#later(this.#options.scenario.bootTime, () => boot(this.machine));
  }

  /** `b` and `o` stop in the driver, `i`, `p` and `t` let it go on, everything else is asked again. */
  #answered(text: string): void {
    const letter = text.trim().charAt(0).toLowerCase();
    if (letter === 'b' || letter === 'o') {
      print(this.machine, "Execute '.cxr FFFFF80316004B00' to dump context\n");
      hitHardBreak(this.machine, 'mydriver!MyTimerRoutine');
    } else if (!/[ipt]/.test(letter)) ask(this.machine, ASSERTION);
  }

  #publish(): void {
    if (this.#options.guestFile !== undefined) saveGuest(this.#options.guestFile, this.machine);
    this.#winrm?.setReachable(this.machine.state === 'running');
  }
}

/** Keys that no debugger has. */
function otherKeys(keys: SessionKeys): SessionKeys {
  return { control: keys.authentication, authentication: keys.control };
}
