/** A driver asks the debugger's user (DbgPrompt, kd-behaviour.md §4.6): the next line is its answer. */
import type { Debugger } from './debugger.ts';
import type { Output } from './output.ts';
import type { Shell } from './shell.ts';

/** `b` and `o` stop in the driver, `i`, `p` and `t` let it go on, everything else is asked again. */
export function askForGuest(kd: Debugger, shell: Shell, output: Output, text: string): void {
  shell.ask(text, (line) => {
    const letter = line.trim().charAt(0).toLowerCase();
    if (letter === 'b' || letter === 'o') {
      output.print("Execute '.cxr FFFFF80316004B00' to dump context\n");
      kd.hitHardBreak('mydriver!MyTimerRoutine');
    } else if (!/[ipt]/.test(letter)) askForGuest(kd, shell, output, text);
  });
}
