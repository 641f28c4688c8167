/**
 * kd's command loop: takes lines while it is at a prompt, runs them, shows the next prompt. Nothing is read while the
 * target runs; lines wait (kd-behaviour.md §4.2, §4.3).
 */
import type { Codec } from './codec.ts';
import type { Execution, Step } from './command.ts';
import { Executions } from './executions.ts';
import type { Input } from './input.ts';
import type { Output } from './output.ts';
import type { RemoteUser, Servers } from './servers.ts';

/** `away`: the target runs or is not there. `hung`: nothing gets a reaction any more. */
type Phase = 'away' | 'prompt' | 'busy' | 'asking' | 'hung' | 'ended';

/** What the loop needs of the session around it. */
export interface ShellHost {
  /** The prompt with its trailing blank. */
  prompt(): string;
  interpret(line: string): Execution;
  interruptText(line: string): string;
  /** A command let the target run. */
  onResume(act: (() => void) | undefined): void;
  /** A command, or the end of stdin at a prompt, ends kd. */
  onQuit(guest: 'running' | 'frozen' | 'as-is'): void;
  /** May a command ask the target something? `lost`: the session has called {@link Shell.leave}. */
  touch(): 'ok' | 'wait' | 'lost';
}

/** Longest time commands run before signals and timers get their turn. */
const SLICE_MS = 10;

export class Shell {
  readonly #host: ShellHost;
  readonly #servers: Servers;
  readonly #output: Output;
  readonly #codec: Codec;
  #input: Input | undefined;
  #phase: Phase = 'away';
  readonly #executions = new Executions();
  #answer = '';
  #onAnswer: ((line: string) => void) | undefined;
  #interrupted = false;
  #touching = false;
  #line = '';
  /** Lines of users at other debuggers, in the order they came. */
  readonly #remote: { readonly by: RemoteUser; readonly line: string }[] = [];
  /** Who gets a prompt when the line is done: its user, this console (undefined), or all after a stop. */
  #by: RemoteUser | 'all' | undefined = 'all';
  #previousLine = '';
  #initialCommand: string | undefined;

  constructor(
    host: ShellHost,
    servers: Servers,
    output: Output,
    codec: Codec,
    initialCommand: string | undefined,
  ) {
    this.#host = host;
    this.#servers = servers;
    this.#output = output;
    this.#codec = codec;
    this.#initialCommand = initialCommand;
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** Lines come from here. */
  attach(input: Input): void {
    this.#input = input;
  }

  /** A line of a user at another debugger. */
  remoteLine(by: RemoteUser, line: string): void {
    this.#remote.push({ by, line });
    this.pump();
  }

  /** The target stopped: runs what belongs to the stop, then what is left of the last line, then shows the prompt. */
  stopped(execution: Execution): void {
    this.#executions.push(execution, true);
    this.#by = 'all';
    this.#phase = 'busy';
    this.#advance();
    this.pump();
  }

  /** The target is gone: nothing of the current line is left and no prompt comes. */
  leave(): void {
    this.#executions.clear();
    this.#touching = false;
    this.#onAnswer = undefined;
    if (this.#phase !== 'ended') this.#phase = 'away';
  }

  hang(): void {
    this.#phase = 'hung';
  }

  end(): void {
    this.#phase = 'ended';
  }

  /** Cancels the running command or question. Returns false at an idle prompt, where a break is dropped. */
  interrupt(): boolean {
    if (this.#phase === 'busy') {
      this.#interrupted = true;
      return true;
    }
    if (this.#phase !== 'asking') return false;
    if (this.#onAnswer) this.#finishQuestion('b');
    else {
      this.#executions.clear();
      this.#output.print('\n');
      this.#showPrompt();
      this.pump();
    }
    return true;
  }

  /** The target itself asks: the next line is its answer. */
  ask(prompt: string, onAnswer: (line: string) => void): void {
    this.#onAnswer = onAnswer;
    this.#phase = 'asking';
    this.#output.print(prompt);
    this.pump();
  }

  /** The link came back or the target went: commands that wait for it look again. */
  linkChanged(): void {
    if (!this.#touching) return;
    this.#advance();
    this.pump();
  }

  /** Executes waiting lines as long as kd is at its prompt. */
  pump(): void {
    const until = performance.now() + SLICE_MS;
    while (this.#phase === 'prompt' || this.#phase === 'asking') {
      const remote = this.#phase === 'prompt' ? this.#remote.shift() : undefined;
      if (remote) {
        this.#run(remote.line, remote.by);
        continue;
      }
      const bytes = this.#input?.readLine();
      if (!bytes) {
        if (this.#input?.ended) this.#host.onQuit('as-is');
        return;
      }
      const line = this.#codec.decode(bytes);
      this.#output.logOnly(`${line}\n`);
      if (this.#phase === 'prompt') this.#run(line);
      else this.#finishQuestion(line);
      if (performance.now() > until) {
        setImmediate(() => this.pump());
        return;
      }
    }
  }

  #finishQuestion(line: string): void {
    const onAnswer = this.#onAnswer;
    this.#onAnswer = undefined;
    if (onAnswer) {
      this.#phase = 'away';
      onAnswer(line);
      return;
    }
    this.#phase = 'busy';
    this.#answer = line;
    this.#advance();
  }

  #run(line: string, by?: RemoteUser): void {
    // A break request that came to an idle prompt: nothing to break (kd-behaviour.md §5.1).
    if (line.startsWith('\x06')) {
      this.#showPrompt();
      return;
    }
    const text = line.trim() === '' ? this.#previousLine : line;
    this.#previousLine = text;
    this.#line = text;
    this.#by = by;
    this.#servers.sent(text, by, this.#host.prompt());
    this.#interrupted = false;
    this.#phase = 'busy';
    this.#executions.push(this.#host.interpret(text), false);
    this.#advance();
  }

  #showPrompt(): void {
    this.#phase = 'prompt';
    const prompt = this.#host.prompt();
    const by = this.#by;
    // After the command of another user this console shows no new prompt (kd-behaviour.md §9.2).
    if (by === undefined || by === 'all') this.#output.printOwn(prompt);
    if (by !== undefined) this.#servers.prompted(prompt, by === 'all' ? undefined : by);
    const initial = this.#initialCommand;
    if (initial === undefined) return;
    this.#initialCommand = undefined;
    this.#output.print(`kd: Reading initial command '${initial}'\n`);
    this.#run(initial);
  }

  /** Runs the innermost command until it ends, waits or hands over. */
  #advance(): void {
    const until = performance.now() + SLICE_MS;
    while (this.#phase === 'busy') {
      if (this.#touching && !this.#mayTouch()) return;
      if (this.#executions.idle) {
        this.#showPrompt();
        return;
      }
      if (this.#interrupted) {
        this.#interrupted = false;
        this.#executions.clear();
        this.#output.print(this.#host.interruptText(this.#line));
        continue;
      }
      const step = this.#executions.next(this.#answer);
      if (step !== undefined && !this.#perform(step)) return;
      if (this.#output.blocked) {
        void this.#output.drained().then(() => this.#goOn());
        return;
      }
      if (performance.now() > until) {
        this.#output.flush();
        setImmediate(() => this.#goOn());
        return;
      }
    }
  }

  #goOn(): void {
    this.#advance();
    this.pump();
  }

  #mayTouch(): boolean {
    const answer = this.#host.touch();
    if (answer === 'ok') this.#touching = false;
    return answer === 'ok';
  }

  /** Does what a command asked for; returns false when the command does not go on now. */
  #perform(step: Step): boolean {
    if (typeof step === 'string') {
      this.#output.print(step);
      return true;
    }
    switch (step.kind) {
      case 'pause':
        setTimeout(() => {
          if (step.deaf) this.#interrupted = false;
          this.#goOn();
        }, step.ms);
        return false;
      case 'ask':
        this.#phase = 'asking';
        this.#output.print(step.prompt);
        return false;
      case 'touch':
        this.#touching = true;
        return true;
      case 'resume':
        this.#executions.resumed();
        this.#phase = 'away';
        this.#servers.ran();
        this.#host.onResume(step.act);
        return false;
      case 'hang':
        this.#phase = 'hung';
        return false;
      case 'quit':
        this.#host.onQuit(step.guest);
        return false;
    }
  }
}
