/** What the simulated guest and link do: data, one entry per scenario. */

/** Something that happens by itself while the guest runs. */
export type TimedEvent =
  | { readonly at: number; readonly every?: number; readonly what: 'print'; readonly text: string }
  | { readonly at: number; readonly every?: number; readonly what: 'hit'; readonly symbol: string }
  | {
      readonly at: number;
      readonly what: 'bugcheck';
      readonly code: number;
      readonly parameters: readonly bigint[];
    }
  | {
      readonly at: number;
      readonly every?: number;
      readonly what: 'reboot' | 'reset' | 'vanish' | 'back' | 'prompt' | 'exit';
    }
  | { readonly at: number; readonly what: 'load'; readonly module: string };

export interface Scenario {
  readonly name: string;
  readonly description: string;
  readonly processors: number;
  /** ANSI code page of the debugger's host. */
  readonly codePage: number;
  /** Milliseconds from "Waiting to reconnect..." to the link; undefined: only when told to (`appear`). */
  readonly linkAfter: number | undefined;
  /** Milliseconds a restarting guest needs until it is there again. */
  readonly bootTime: number;
  /** Milliseconds from a break request to the stop. */
  readonly breakLatency: number;
  /** A break within so many milliseconds after `g` is lost. */
  readonly swallowMs: number;
  /** The first break meets a stop for another reason, so that it is owed. */
  readonly owesBreak: boolean;
  readonly portBusy: boolean;
  readonly wrongKey: boolean;
  /** The boot debugger comes first and refuses `g`; the kernel follows. */
  readonly bootDebugger: boolean;
  /** kd stops reacting: after a connect, or at the first command. */
  readonly hang: 'no' | 'connect' | 'command';
  /** `Error getting port connector information` once a second. */
  readonly noise: boolean;
  /** While the guest runs. Times in milliseconds since it began to run. */
  readonly events: readonly TimedEvent[];
}

const IDLE: Scenario = {
  name: 'idle',
  description: 'a guest that runs and does nothing by itself',
  processors: 2,
  codePage: 1252,
  linkAfter: 20,
  bootTime: 300,
  breakLatency: 3,
  swallowMs: 0,
  owesBreak: false,
  portBusy: false,
  wrongKey: false,
  bootDebugger: false,
  hang: 'no',
  noise: false,
  events: [],
};

export const SCENARIOS: readonly Scenario[] = [IDLE];

export function scenarioNamed(name: string): Scenario | undefined {
  return SCENARIOS.find((s) => s.name === name);
}
