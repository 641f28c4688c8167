/** The kernel debugger support of the guest: tells a debugger what happens and does what it asks. */
import type { Machine, MachineEvent } from '../machine/machine.ts';
import { crash, reboot } from '../machine/power.ts';
import { announceKernel, payOwedBreak, resume } from '../machine/run.ts';
import { runOn, step } from '../machine/step.ts';
import { BreakpointTable } from './breakpoints.ts';
import { contextRecord, type RegisterRecord, specialRecord } from './context.ts';
import { printMessages, promptMessage, readAnswerText } from './debug-io.ts';
import { Delivery } from './delivery.ts';
import type { Guest } from './guest.ts';
import { PACKET } from './packet.ts';
import { decodeRequest, encodeReply, FAILED } from './request.ts';
import { REQUESTS } from './requests/all.ts';
import { goodbye, stateChange, switchedTo } from './state-change.ts';

export interface TargetEvents {
  /** Sends the body of a datagram. */
  readonly transmit: (body: Uint8Array) => void;
  readonly isConnected: () => boolean;
  readonly onBreakRequest: () => void;
  /** The guest has said goodbye, or died: the link to the debugger ends now. */
  readonly onDown: () => void;
  /** What the guest does, after the debugger was told. */
  readonly onGuest: (event: MachineEvent) => void;
  readonly onAnswer: (text: string) => void;
}

/** More than a guest could have printed: a real one waits until the debugger has taken each text. */
const MOST_WAITING = 50_000;
/** So long a guest that goes down stays there for the debugger, which has last questions. */
const GOODBYE_MS = 200;

export class KdTarget implements Guest {
  readonly machine: Machine;
  readonly breakpoints: BreakpointTable;
  /** How often each request came, by its name. */
  readonly requests = new Map<string, number>();
  readonly #events: TargetEvents;
  readonly #delivery: Delivery;
  readonly #contexts: readonly RegisterRecord[];
  readonly #specials: readonly RegisterRecord[];
  /** The guest has booted and no debugger has heard of it. */
  #unannounced = false;
  /** The debugger asked for the restart and has closed the connection itself. */
  #rebootAsked = false;
  #leaving: NodeJS.Timeout | undefined;
  /** The processor that caused the stop. */
  #reporter = 0;

  constructor(machine: Machine, events: TargetEvents) {
    this.machine = machine;
    this.#events = events;
    this.breakpoints = new BreakpointTable(machine);
    this.#contexts = machine.processors.map(contextRecord);
    this.#specials = machine.processors.map(specialRecord);
    this.#delivery = new Delivery({
      transmit: (body) => events.transmit(body),
      onData: (type, content) => this.#onData(type, content),
      onBreak: () => events.onBreakRequest(),
      onAskedAgain: () => this.#reportAgain(),
    });
    machine.stopAtLoad = () => events.isConnected();
    machine.stopAtUnload = machine.stopAtLoad;
    machine.listener = (event) => this.#onMachine(event);
  }

  /** Packets that the debugger has not acknowledged. */
  get pending(): number {
    return this.#delivery.pending;
  }

  /** The guest has said goodbye and is about to go. */
  get leaving(): boolean {
    return this.#leaving !== undefined;
  }

  receive(body: Uint8Array): void {
    this.#delivery.receive(body);
  }

  /** A debugger has connected, the first or another one. */
  hostArrived(): void {
    this.#delivery.startOver();
    if (!this.#unannounced) return;
    this.#unannounced = false;
    announceKernel(this.machine);
  }

  context(processor: number): RegisterRecord {
    return recordAt(this.#contexts, processor);
  }

  special(processor: number): RegisterRecord {
    return recordAt(this.#specials, processor);
  }

  goOn(how: 'run' | 'step'): void {
    if (how === 'step') {
      step(this.machine);
      return;
    }
    this.machine.current = this.#reporter;
    resume(this.machine, []);
    runOn(this.machine);
    if (this.machine.owedBreaks > 0) setTimeout(() => payOwedBreak(this.machine), 1);
  }

  switchTo(processor: number): void {
    if (this.machine.processors[processor]) this.machine.current = processor;
    this.#reportAgain();
  }

  crash(): void {
    // MANUALLY_INITIATED_CRASH
    setImmediate(() => crash(this.machine, 0xe2, [0n, 0n, 0n, 0n]));
  }

  reboot(): void {
    this.#rebootAsked = true;
    reboot(this.machine);
  }

  dispose(): void {
    clearTimeout(this.#leaving);
    this.#delivery.dispose();
  }

  #onData(type: number, content: Buffer): void {
    if (type === PACKET.debugIo) {
      const text = readAnswerText(content);
      if (text !== undefined) this.#events.onAnswer(text);
      return;
    }
    const request = decodeRequest(content);
    const serving = this.machine.state === 'halted' || this.leaving;
    if (type !== PACKET.manipulate || !request || !serving) return;
    const kind = REQUESTS.get(request.api);
    const name = kind?.name ?? `0x${request.api.toString(16)}`;
    this.requests.set(name, (this.requests.get(name) ?? 0) + 1);
    const reply = kind ? kind.handle(this, request) : FAILED;
    if (reply) this.#delivery.send(PACKET.manipulate, encodeReply(request, reply));
  }

  #reportAgain(): void {
    const { state, stop } = this.machine;
    if (state !== 'halted' || !stop) return;
    const caused = this.machine.current === this.#reporter;
    const report = caused ? stateChange(this.machine, stop) : switchedTo(this.machine);
    this.#delivery.send(PACKET.stateChange, report);
  }

  #onMachine(event: MachineEvent): void {
    switch (event.kind) {
      case 'stop':
        this.#reporter = this.machine.current;
        this.#delivery.send(PACKET.stateChange, stateChange(this.machine, event.stop));
        break;
      case 'print':
        this.#print(event.text);
        break;
      case 'ask':
        if (this.#events.isConnected())
          this.#delivery.send(PACKET.debugIo, promptMessage(this.machine.current, event.text));
        break;
      case 'shutdown':
        this.#goDown(this.#rebootAsked ? undefined : goodbye(this.machine));
        break;
      case 'reset':
        this.#goDown(undefined);
        break;
      case 'boot':
        this.#unannounced = true;
        break;
      case 'load':
      case 'unload':
      case 'run':
        break;
    }
    this.#events.onGuest(event);
  }

  #print(text: string): void {
    if (!this.#events.isConnected() || this.#delivery.pending > MOST_WAITING) return;
    for (const message of printMessages(this.machine.current, text))
      this.#delivery.send(PACKET.debugIo, message);
  }

  #goDown(goodbye: Buffer | undefined): void {
    this.breakpoints.clear();
    this.#rebootAsked = false;
    clearTimeout(this.#leaving);
    if (!goodbye) {
      this.#end();
      return;
    }
    this.#delivery.send(PACKET.stateChange, goodbye);
    this.#leaving = setTimeout(() => this.#end(), GOODBYE_MS);
  }

  #end(): void {
    this.#leaving = undefined;
    this.#delivery.clear();
    this.#events.onDown();
  }
}

function recordAt(records: readonly RegisterRecord[], processor: number): RegisterRecord {
  const record = records[processor] ?? records[0];
  if (!record) throw new Error('a guest without processors');
  return record;
}
