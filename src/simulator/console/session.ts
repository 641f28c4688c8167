/**
 * One kd process and its guest: connects, shows what the guest does, obeys breaks. The command loop is `shell.ts`,
 * the guest is `machine/`.
 */
import { createMachine, type Machine, type MachineEvent, type Stop } from '../machine/machine.ts';
import { boot } from '../machine/power.ts';
import { breakIn, payOwedBreak, resume, stepOverBreak } from '../machine/run.ts';
import { wildcard } from './arguments.ts';
import { patchAddresses, resolveBreakpoints } from './breakpoints.ts';
import type { Codec } from './codec.ts';
import type { Debugger } from './debugger.ts';
import { createDebugger } from './debugger-state.ts';
import { shutdownText } from './events.ts';
import { interpret, isDump } from './interpreter.ts';
import { Link } from './link.ts';
import { openAtOnce } from './opening.ts';
import type { KdOptions } from './options.ts';
import type { Output } from './output.ts';
import { askForGuest } from './questions.ts';
import type { Scenario } from './scenarios.ts';
import { Servers } from './servers.ts';
import { Shell } from './shell.ts';
import { stopExecution } from './stops.ts';
import type { Style } from './style.ts';

export interface SessionSetup {
  readonly options: KdOptions;
  readonly scenario: Scenario;
  readonly style: Style;
  readonly output: Output;
  readonly codec: Codec;
  /** Called once, with the exit code. */
  readonly exit: (code: number) => void;
  /** The guest's state changed. */
  readonly onGuest: (machine: Machine) => void;
  /** The link came up, the guest stopped, or it was resumed: the clocks of a scenario. */
  readonly onPhase: (phase: 'link' | 'stop' | 'go') => void;
}

export class KdSession {
  readonly machine: Machine;
  readonly debugger: Debugger;
  readonly shell: Shell;
  readonly link: Link;
  readonly #setup: SessionSetup;
  #breakPending: boolean;
  #ranAt = Number.NEGATIVE_INFINITY;
  #mayOwe: boolean;
  #lateOutput = '';
  #resumeLater: (() => void) | undefined;

  constructor(setup: SessionSetup) {
    const { options, scenario, output, codec } = setup;
    this.#setup = setup;
    this.machine = createMachine(scenario);
    const servers = new Servers(output, {
      prompt: () => (this.shell.phase === 'prompt' ? this.debugger.prompt() : undefined),
      line: (by, line) => this.shell.remoteLine(by, line),
      break: () => this.requestBreak(),
    });
    this.debugger = createDebugger(this.machine, setup, servers, (text) => interpret(this.debugger, text));
    this.#breakPending = options.breakOnConnect;
    this.#mayOwe = scenario.owesBreak;
    this.link = new Link(this.debugger, output, {
      onUp: () => this.#onLinkUp(),
      onLost: () => {
        this.#resumeLater = undefined;
        this.shell.leave();
      },
    });
    this.shell = new Shell(
      {
        prompt: () => this.debugger.prompt(),
        interpret: (line) => interpret(this.debugger, line),
        interruptText: (line) => this.#interruptText(line),
        onResume: (act) => this.#resume(act),
        onQuit: (guest) => this.quit(guest),
        touch: () => this.link.touch(),
      },
      servers,
      output,
      codec,
      options.initialCommand,
    );
    this.machine.stopAtLoad = (module) => {
      const filter = this.debugger.filters.get('ld');
      return filter !== undefined && wildcard(filter.pattern.replace(/\.(sys|dll)$/i, '')).test(module.name);
    };
    this.debugger.halted = () => this.shell.phase !== 'away';
    this.machine.listener = (event) => this.#onMachine(event);
  }

  /** Ctrl+C, Ctrl+Break or Ctrl+F. Returns false where it has no effect (kd-behaviour.md §5.1, engine.md §6). */
  requestBreak(): boolean {
    switch (this.shell.phase) {
      case 'busy':
      case 'asking':
        return this.shell.interrupt();
      case 'prompt':
      case 'hung':
      case 'ended':
        return false;
      case 'away':
        if (this.link.state === 'down') this.#breakPending = true;
        else this.#deliverBreak();
        return true;
    }
  }

  /** Ends kd. `running` lets a halted guest go unless a break is owed, `frozen` leaves it halted (engine.md §6). */
  quit(guest: 'running' | 'frozen' | 'as-is', exitCode = 0): void {
    if (this.shell.phase === 'ended') return;
    this.shell.end();
    if (guest === 'running') {
      resume(this.machine, []);
      payOwedBreak(this.machine);
    } else if (guest === 'frozen') stepOverBreak(this.machine);
    this.#setup.onGuest(this.machine);
    this.link.dispose();
    this.debugger.servers.dispose();
    this.#setup.exit(exitCode);
  }

  /** kd ends as if something had killed it after a reboot of the guest (field-reports.md 6). */
  die(): void {
    this.#setup.output.print(shutdownText(this.#setup.options.target).replace(/\n[\s\S]*/, '\n'));
    this.quit('as-is');
  }

  /** Tells the surroundings what the guest does at the start. */
  announceGuest(): void {
    this.#setup.onGuest(this.machine);
  }

  /** Dumps and the local kernel need no waiting. */
  openAtOnce(): void {
    openAtOnce(this.debugger, this.link, this.#setup.output);
  }

  /** The guest prints; what it prints while the link is lost comes when the link is back. */
  print(text: string): void {
    if (this.link.vanished) this.#lateOutput += text;
    else this.#setup.output.print(text);
  }

  #interruptText(line: string): string {
    if (isDump(line)) return '-- User interrupt\n';
    const column = this.debugger.prompt().length + line.length;
    return `${' '.repeat(column)}^ User interrupted operation error in '${line}'\n`;
  }

  #deliverBreak(): void {
    this.#breakPending = false;
    const { scenario } = this.#setup;
    if (this.link.vanished || performance.now() - this.#ranAt < scenario.swallowMs) return;
    setTimeout(() => {
      if (this.#mayOwe) {
        this.#mayOwe = false;
        this.debugger.hitHardBreak('mydriver!MyTimerRoutine');
      }
      breakIn(this.machine);
    }, scenario.breakLatency);
  }

  #onLinkUp(): void {
    if (this.#lateOutput !== '') this.#setup.output.print(this.#lateOutput);
    this.#lateOutput = '';
    this.#setup.onPhase('link');
    if (this.#setup.scenario.hang === 'connect') this.shell.hang();
    else if (this.debugger.inBootDebugger) this.#stopInBootDebugger();
    else if (this.#resumeLater) this.#resumeLater();
    else if (this.machine.state === 'halted' && this.shell.phase === 'away')
      this.#onStop(this.machine.stop ?? { kind: 'break' });
    else if (this.#breakPending) this.#deliverBreak();
  }

  /** The boot debugger stops by itself; its second `g` starts the kernel, which connects anew (field-reports.md 1). */
  #stopInBootDebugger(): void {
    this.#setup.output.print('BD: Boot Debugger Initialized\n');
    breakIn(this.machine);
  }

  #leaveBootDebugger(): void {
    this.debugger.inBootDebugger = false;
    this.debugger.bootReports = true;
    this.link.restart(this.#setup.scenario.bootTime);
  }

  #resume(act: (() => void) | undefined): void {
    this.#ranAt = performance.now();
    const reach = this.link.touch();
    // The request to go on is repeated until it arrives.
    this.#resumeLater = reach === 'wait' ? () => this.#resume(act) : undefined;
    if (reach !== 'ok') return;
    this.debugger.context = undefined;
    this.debugger.process = undefined;
    if (act) {
      act();
      return;
    }
    resume(this.machine, patchAddresses(this.debugger));
    this.#setup.onPhase('go');
    if (this.debugger.inBootDebugger) this.#leaveBootDebugger();
    if (this.machine.owedBreaks > 0) setTimeout(() => payOwedBreak(this.machine), 1);
  }

  #onMachine(event: MachineEvent): void {
    if (event.kind !== 'print') this.#setup.onGuest(this.machine);
    switch (event.kind) {
      case 'stop':
        this.#onStop(event.stop);
        return;
      case 'print':
        this.print(event.text);
        return;
      case 'ask':
        askForGuest(this.debugger, this.shell, this.#setup.output, event.text);
        return;
      case 'load':
        resolveBreakpoints(this.debugger, event.module);
        return;
      case 'shutdown':
        this.link.lose('');
        this.#bootLater();
        return;
      case 'reset':
        this.#bootLater();
        return;
      case 'boot':
        this.#breakPending ||= this.#setup.options.breakOnConnect;
        this.link.targetBooted();
        this.shell.linkChanged();
        return;
      case 'run':
        return;
    }
  }

  #bootLater(): void {
    setTimeout(() => boot(this.machine), this.#setup.scenario.bootTime);
  }

  #onStop(stop: Stop): void {
    // What the guest does while the link is lost is heard when it is back.
    if (this.shell.phase === 'ended' || this.shell.phase === 'hung' || this.link.vanished) return;
    this.link.establish();
    this.debugger.processor = this.machine.current;
    this.shell.stopped(stopExecution(this.debugger, stop));
    this.#setup.onPhase('stop');
  }
}
