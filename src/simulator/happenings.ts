/** What can be made to happen in the guest: the events of scenarios and of control lines, for both faces. */
import type { GuestHappening, Happening } from './console/scenarios.ts';
import type { Machine } from './machine/machine.ts';
import { crash, reboot, reset } from './machine/power.ts';
import { ASSERTION, ask, execute, loadModule, print, unloadModule } from './machine/run.ts';

/** Makes an event happen; returns false when it cannot happen now. */
export function happenInGuest(machine: Machine, event: GuestHappening): boolean {
  if (event.what === 'reset') {
    if (machine.state === 'off') return false;
    reset(machine);
    return true;
  }
  if (machine.state !== 'running') return false;
  switch (event.what) {
    case 'print':
      print(machine, event.text);
      return true;
    case 'hit':
      return execute(machine, event.symbol) !== 'unknown';
    case 'bugcheck':
      crash(machine, event.code, event.parameters);
      return true;
    case 'load':
      return loadModule(machine, event.module) !== undefined;
    case 'unload':
      return unloadModule(machine, event.module) !== undefined;
    case 'reboot':
      reboot(machine);
      return true;
    case 'ask':
      ask(machine, ASSERTION);
      return true;
  }
}

/** Text with `\n`, `\r`, `\t`, `\e`, `\\`, `\xNN`, `\uNNNN`. */
export function unescapeText(text: string): string {
  const named: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', e: '\x1b', '\\': '\\' };
  return text.replace(/\\(x[0-9a-f]{2}|u[0-9a-f]{4}|[nrte\\])/gi, (_, code: string) => {
    const short = named[code];
    return short ?? String.fromCharCode(Number.parseInt(code.slice(1), 16));
  });
}

/** The event that a control line names by its first word. */
export function eventOf(word: string, rest: string): Happening | undefined {
  switch (word) {
    case 'hit':
      return { what: 'hit', symbol: rest || 'mydriver!MyDispatch' };
    case 'load':
    case 'unload':
      return { what: word, module: rest || 'otherdrv' };
    case 'bugcheck': {
      const [code = 'd1', ...parameters] = rest.split(/\s+/).filter((p) => p !== '');
      const value = (text: string | undefined) => BigInt(`0x${(text ?? '0').replace(/^0x/i, '')}`);
      return {
        what: 'bugcheck',
        code: Number(value(code)),
        parameters: [0, 1, 2, 3].map((i) => value(parameters[i])),
      };
    }
    case 'reboot':
    case 'reset':
    case 'vanish':
    case 'back':
    case 'ask':
    case 'exit':
      return { what: word };
    default:
      return undefined;
  }
}
