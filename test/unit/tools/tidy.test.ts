import { describe, expect, it } from 'vitest';
import { tidyStart, tidyStop } from '../../../src/tools/tidy.ts';

const STARS = '*'.repeat(79);
const row = (text: string): string => `*${text.padEnd(77)}*`;
const BOX = `${[STARS, row(''), row('   You are seeing this message because you pressed either'), row('       CTRL+C'), row('                   THIS IS NOT A BUG OR A SYSTEM CRASH'), row(''), row(' If you did not intend'), STARS].join('\n')}\n`;
const BUGCHECK = `${[STARS, row(''), row('                        Bugcheck Analysis'), row(''), STARS].join('\n')}\n`;
const block = (head: string) => ({ from: 100, to: 100 + head.length, head });

describe('a stop in a reply', () => {
  it('goes without the box that explains Ctrl+C and without the last prompt', () => {
    const text = `Break instruction exception\n${BOX}nt!DbgBreakPointWithStatus:\nfffff803\`1 cc int 3\n0: kd> `;
    const tidied = tidyStop(block(text));
    expect(tidied?.head).toBe(
      'Break instruction exception\nnt!DbgBreakPointWithStatus:\nfffff803`1 cc int 3\n',
    );
    expect(tidied?.from).toBe(100 + BOX.length);
  });

  it('keeps every other box', () => {
    expect(tidyStop(block(`${BUGCHECK}text\n`))?.head).toBe(`${BUGCHECK}text\n`);
    expect(tidyStop(block(`${BUGCHECK}${BOX}text\n`))?.head).toBe(`${BUGCHECK}text\n`);
  });

  it('is nothing when only g was typed', () => {
    expect(tidyStop(block('g\n'))).toBeUndefined();
    expect(tidyStop(block('0: kd> g\n'))).toBeUndefined();
    expect(tidyStop(block('g\nDbgPrint\n'))?.head).toBe('g\nDbgPrint\n');
  });
});

describe('a start in a reply', () => {
  it('begins with the version of kd', () => {
    const text =
      '\n*** Preparing ***\n   X : true\n\nMicrosoft (R) Windows Debugger Version 10.0.1.2 AMD64\nOpened WinSock 2.0\n';
    const tidied = tidyStart(block(text));
    expect(tidied.head).toMatch(/^Microsoft \(R\)/);
    expect(tidied.from).toBe(100 + text.indexOf('Microsoft'));
    expect(tidyStart(block('Opened \\\\.\\com1\n')).head).toBe('Opened \\\\.\\com1\n');
  });
});
