/** Sessions that need no waiting for a target: dumps and the local kernel. */
import { openDump } from '../machine/power.ts';
import { breakIn } from '../machine/run.ts';
import type { Debugger } from './debugger.ts';
import { DUMP_KIND } from './events.ts';
import type { Link } from './link.ts';
import type { Output } from './output.ts';

/** Prints what comes before the version block and stops the guest. */
export function openAtOnce(kd: Debugger, link: Link, output: Output): void {
  const { target } = kd.options;
  for (const file of target.kind === 'dump' ? target.files : []) {
    output.print(`\nLoading Dump File [${file}]\n${DUMP_KIND}\n`);
  }
  link.openAtOnce();
  if (target.kind === 'dump') openDump(kd.machine);
  else breakIn(kd.machine);
}
