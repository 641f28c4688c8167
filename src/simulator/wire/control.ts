/** The lines that make things happen: on stdin and on the control socket. */
import { stateOf } from '../console/guest-file.ts';
import { eventOf, unescapeText } from '../happenings.ts';
import { print } from '../machine/run.ts';
import type { Simulation } from './simulation.ts';

function stateText(simulation: Simulation): string {
  const { link, target, machine } = simulation;
  return JSON.stringify({
    ...stateOf(machine),
    link: link.silent ? 'lost' : link.connected ? 'linked' : 'down',
    pending: target.pending,
    requests: Object.fromEntries(target.requests),
  });
}

/** Obeys one line; the answer is `ok`, `no …` (not possible now) or `error …`, or JSON for `state`. */
export function obey(simulation: Simulation, line: string): string {
  const match = /^\s*(\S+)\s?(.*)$/.exec(line);
  const word = match?.[1] ?? '';
  const rest = match?.[2] ?? '';
  const { machine } = simulation;
  const refused = () => `no the guest is ${machine.state}`;
  switch (word) {
    case 'print':
      if (machine.state !== 'running') return refused();
      print(machine, unescapeText(rest));
      return 'ok';
    case 'appear':
      simulation.appear();
      return 'ok';
    case 'shutdown':
      return simulation.shutDown() ? 'ok' : refused();
    case 'state':
      return stateText(simulation);
    default: {
      const event = eventOf(word, rest.trim());
      if (!event) return `error unknown request '${word}'`;
      return simulation.happen(event) ? 'ok' : refused();
    }
  }
}
