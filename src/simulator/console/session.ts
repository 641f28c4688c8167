/**
 * One kd process: connects, runs command lines, shows stops, obeys breaks. The byte rules are those of
 * kd-behaviour.md §4 and Appendix B.
 */
import { createMachine, type Machine, type MachineEvent, type Stop } from '../machine/machine.ts';
import { breakIn, resume } from '../machine/run.ts';
import type { Codec } from './codec.ts';
import { CommandError, type Execution, type Step } from './command.ts';
import { type Debugger, promptOf } from './debugger.ts';
import { createDebugger } from './debugger-state.ts';
import { connectionText, linkText, startText, stopText } from './events.ts';
import { Input } from './input.ts';
import { commandNamed, interpret } from './interpreter.ts';
import type { KdOptions } from './options.ts';
import type { Output } from './output.ts';
import type { Scenario } from './scenarios.ts';
import { commandWord } from './statements.ts';

type Phase = 'starting' | 'waiting' | 'running' | 'prompt' | 'busy' | 'asking' | 'hung' | 'ended';

/** Longest time commands run before signals and timers get their turn. */
const SLICE_MS = 10;

export class KdSession {
  readonly machine: Machine;
  readonly debugger: Debugger;
  readonly #options: KdOptions;
  readonly #scenario: Scenario;
  readonly #output: Output;
  readonly #codec: Codec;
  readonly #exit: (code: number) => void;
  #input: Input | undefined;
  #phase: Phase = 'starting';
  #linked = false;
  #established = false;
  #breakPending = false;
  #executions: Execution[] = [];
  #answer = '';
  #interrupted = false;
  #line = '';
  #previousLine = '';
  #prompted = false;

  constructor(
    options: KdOptions,
    scenario: Scenario,
    output: Output,
    codec: Codec,
    exit: (code: number) => void,
  ) {
    this.#options = options;
    this.#scenario = scenario;
    this.#output = output;
    this.#codec = codec;
    this.#exit = exit;
    this.machine = createMachine({ processors: scenario.processors });
    this.debugger = createDebugger(this.machine, options, scenario, output, (text) =>
      interpret(this.debugger, text),
    );
    this.machine.listener = (event) => this.#onMachine(event);
    this.#breakPending = options.breakOnConnect;
  }

  start(): void {
    this.#input = new Input(process.stdin, {
      onReadable: () => this.#pump(),
      onBreak: () => this.requestBreak(),
      onQuit: () => this.#quit('as-is'),
    });
    this.#output.print(startText(this.#options.target));
    this.#phase = 'waiting';
    if (this.#scenario.linkAfter !== undefined) setTimeout(() => this.#link(), this.#scenario.linkAfter);
  }

  /** Ctrl+C, Ctrl+Break or Ctrl+F. Returns false where it has no effect. */
  requestBreak(): boolean {
    switch (this.#phase) {
      case 'starting':
      case 'waiting':
        this.#breakPending = true;
        if (this.#linked) this.#deliverBreak();
        return true;
      case 'running':
        this.#deliverBreak();
        return true;
      case 'busy':
        this.#interrupted = true;
        return true;
      case 'asking':
        this.#cancelQuestion();
        return true;
      case 'prompt':
      case 'hung':
      case 'ended':
        return false;
    }
  }

  #deliverBreak(): void {
    this.#breakPending = false;
    setTimeout(() => breakIn(this.machine), this.#scenario.breakLatency);
  }

  #link(): void {
    if (this.machine.state === 'off') return;
    this.#linked = true;
    this.#output.print(linkText(this.#options.target));
    if (this.#breakPending) this.#deliverBreak();
  }

  #onMachine(event: MachineEvent): void {
    switch (event.kind) {
      case 'stop':
        this.#onStop(event.stop);
        return;
      case 'print':
        this.#output.print(event.text);
        return;
      case 'prompt':
      case 'load':
      case 'shutdown':
      case 'reset':
      case 'boot':
        return;
    }
  }

  #onStop(stop: Stop): void {
    if (!this.#established) this.#establish();
    this.debugger.processor = this.machine.current;
    this.#output.print(stopText(this.debugger, stop));
    this.#afterStop();
  }

  #establish(): void {
    this.#established = true;
    this.#output.print(connectionText(this.debugger, this.#options.breakOnConnect));
  }

  #afterStop(): void {
    if (this.#executions.length > 0) {
      this.#phase = 'busy';
      this.#advance();
    } else this.#showPrompt();
    this.#pump();
  }

  #showPrompt(): void {
    this.#phase = 'prompt';
    this.#output.print(`${promptOf(this.debugger)} `);
    if (this.#prompted) return;
    this.#prompted = true;
    const initial = this.#options.initialCommand;
    if (initial !== undefined) {
      this.#output.print(`kd: Reading initial command '${initial}'\n`);
      this.#run(initial);
    }
  }

  /** Executes waiting lines as long as kd is at its prompt. */
  #pump(): void {
    const until = performance.now() + SLICE_MS;
    while (this.#phase === 'prompt' || this.#phase === 'asking') {
      const bytes = this.#input?.readLine();
      if (!bytes) {
        if (this.#input?.ended) this.#quit('as-is');
        return;
      }
      const line = this.#codec.decode(bytes);
      if (this.#phase === 'asking') {
        this.#phase = 'busy';
        this.#answer = line;
        this.#output.logOnly(`${line}\n`);
        this.#advance();
      } else this.#run(line);
      if (performance.now() > until) {
        setImmediate(() => this.#pump());
        return;
      }
    }
  }

  #run(line: string): void {
    this.#output.logOnly(`${line}\n`);
    const text = line.trim() === '' ? this.#previousLine : line;
    this.#previousLine = text;
    this.#line = text;
    this.#interrupted = false;
    this.#phase = 'busy';
    this.#executions.push(interpret(this.debugger, text));
    this.#advance();
  }

  /** Runs the innermost command until it ends, waits or hands over. */
  #advance(): void {
    const until = performance.now() + SLICE_MS;
    for (;;) {
      const execution = this.#executions.at(-1);
      if (this.#phase !== 'busy') return;
      if (!execution) {
        this.#showPrompt();
        return;
      }
      if (this.#interrupted) {
        this.#interrupt();
        continue;
      }
      let step: IteratorResult<Step, void>;
      try {
        step = execution.next(this.#answer);
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        this.#output.print(error.shown);
        this.#executions.pop();
        continue;
      }
      if (step.done) {
        if (this.#executions.at(-1) === execution) this.#executions.pop();
        continue;
      }
      const value = step.value;
      if (typeof value === 'string') this.#output.print(value);
      else if (!this.#perform(value)) return;
      if (this.#output.blocked) {
        void this.#output.drained().then(() => this.#resumeAdvance());
        return;
      }
      if (performance.now() > until) {
        this.#output.flush();
        setImmediate(() => this.#resumeAdvance());
        return;
      }
    }
  }

  /** Goes on after a wait, and then with the lines that came meanwhile. */
  #resumeAdvance(): void {
    this.#advance();
    this.#pump();
  }

  /** Does what a command asked for; returns false when the command does not go on now. */
  #perform(step: Exclude<Step, string>): boolean {
    switch (step.kind) {
      case 'pause':
        setTimeout(() => {
          if (step.deaf) this.#interrupted = false;
          this.#resumeAdvance();
        }, step.ms);
        return false;
      case 'ask':
        this.#phase = 'asking';
        this.#output.print(step.prompt);
        return false;
      case 'resume':
        this.#phase = 'running';
        resume(
          this.machine,
          this.debugger.breakpoints.flatMap((b) => (b.enabled && b.address !== undefined ? [b.address] : [])),
        );
        return false;
      case 'hang':
        this.#phase = 'hung';
        return false;
      case 'quit':
        this.#quit(step.guest);
        return false;
    }
  }

  #interrupt(): void {
    this.#interrupted = false;
    this.#executions = [];
    const command = commandNamed(commandWord(this.#line.trimStart()));
    this.#output.print(
      command?.dump
        ? '-- User interrupt\n'
        : `${' '.repeat(promptOf(this.debugger).length + this.#line.length)}^ User interrupted operation error in '${this.#line}'\n`,
    );
  }

  #cancelQuestion(): void {
    this.#executions = [];
    this.#output.print('\n');
    this.#showPrompt();
    this.#pump();
  }

  /** Ends kd. `running` lets a halted guest go. */
  #quit(guest: 'running' | 'frozen' | 'as-is'): void {
    if (this.#phase === 'ended') return;
    this.#phase = 'ended';
    if (guest === 'running') resume(this.machine, []);
    this.#exit(0);
  }
}
