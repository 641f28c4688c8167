import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventOf } from '../../../src/kd/events.ts';
import { ConsoleReader, type Step } from '../../../src/kd/framing.ts';
import { promptAtEnd, questionIn } from '../../../src/kd/prompts.ts';
import { createRedactor } from '../../../src/kd/redact.ts';
import { LogFilter } from '../../../src/kd/unicode-log.ts';
import { FakeConsole } from './fake-console.ts';

const textOf = (steps: readonly Step[]): string =>
  steps.map((step) => (step.kind === 'text' ? step.text : '')).join('');
const linesOf = (steps: readonly Step[]): readonly string[] =>
  steps.flatMap((step) => (step.kind === 'text' ? step.lines : []));

/** Runs commands through a reader the way a session does, feeding it pieces of the sizes given. */
function drive(
  commands: readonly { text: string; output: string; prompt: string }[],
  sizes: readonly number[],
) {
  let current = commands[0]?.prompt ?? '';
  const kd = new FakeConsole(
    (text) => commands.find((command) => command.text === text)?.output ?? '',
    () => current,
  );
  const reader = new ConsoleReader();
  const results: { text: string; prompt: string }[] = [];
  let markers = 0;
  let turn = 0;
  for (const command of commands) {
    current = command.prompt;
    kd.write(`${command.text}\n`);
    let text = '';
    let prompt: string | undefined;
    for (let pending = kd.take(); pending !== ''; pending += kd.take()) {
      const size = sizes.length === 0 ? pending.length : (sizes[turn++ % sizes.length] ?? 1);
      for (const step of reader.push(pending.slice(0, size))) {
        if (step.kind === 'text') text += step.text;
        else if (step.kind === 'mark') prompt = step.prompt;
      }
      pending = pending.slice(size);
      if (prompt === undefined && !reader.armed && promptAtEnd(reader.tail) !== undefined) {
        const marker = `MARK_${++markers}_`;
        reader.arm(marker);
        kd.write(`.echo\n.echo ${marker}\n`);
      }
    }
    results.push({ text, prompt: prompt ?? 'never' });
  }
  return results;
}

const line = fc.oneof(
  fc.string({ unit: 'grapheme-ascii', maxLength: 40 }).map((text) => text.replace(/[\r\n]/g, '')),
  fc.constantFrom(
    '',
    '0: kd> ',
    '0: kd> 0: kd> x',
    'kd> ',
    // An old marker: the next one cannot be guessed, an earlier one can be repeated.
    '.echo MARK_0_',
    'MARK_0_ 0: kd> MARK_0_',
    'Kernel base = 0xfffff803`12400000 PsLoadedModuleList = 0xfffff803`12440000',
    '00000008`7fafe858  "김철수 中文"',
  ),
);
const output = fc
  .tuple(fc.array(line, { maxLength: 6 }), fc.boolean())
  .map(([lines, finished]) => (lines.length === 0 ? '' : lines.join('\n') + (finished ? '\n' : '')));
const prompt = fc.constantFrom(
  'kd> ',
  '0: kd> ',
  '14: kd> ',
  'lkd> ',
  '32.2: kd:x86> ',
  '0:000> ',
  '||1:0: kd> ',
);

describe('the console reader', () => {
  it('gives each command its own output and the exact prompt, however the bytes are split', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(output, prompt), { minLength: 1, maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 8 }),
        (pairs, sizes) => {
          const commands = pairs.map(([text, p], index) => ({ text: `c${index}`, output: text, prompt: p }));
          const results = drive(commands, sizes);
          for (const [index, command] of commands.entries()) {
            const wanted =
              command.output === '' || command.output.endsWith('\n') ? command.output : `${command.output}\n`;
            expect(results[index]).toEqual({ text: wanted, prompt: command.prompt });
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('finds the same lines and the same text in any pieces', () => {
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat({ max: 400 })), (lines, cuts) => {
        const whole = lines.join('\r\n');
        const once = new ConsoleReader();
        const first = [...once.push(whole), ...once.end()];
        const pieces = new ConsoleReader();
        const steps: Step[] = [];
        let at = 0;
        for (const cut of [...cuts].sort((a, b) => a - b)) {
          steps.push(...pieces.push(whole.slice(at, cut)));
          at = Math.max(at, cut);
        }
        steps.push(...pieces.push(whole.slice(at)), ...pieces.end());
        expect(textOf(steps)).toBe(textOf(first));
        expect(linesOf(steps)).toEqual(linesOf(first));
      }),
    );
  });

  it('takes a repeated noise line out, also in the middle of a line and between prompt and marker', () => {
    const noise = 'Error getting port connector information: 0x00000057';
    const reader = new ConsoleReader();
    expect(reader.push(`start     ${noise}\r\nend\r\n`)).toEqual([
      { kind: 'noise', text: noise },
      { kind: 'text', text: 'start     end\n', lines: ['start     end'] },
    ]);
    reader.push('0: kd> ');
    reader.arm('M1_');
    expect(reader.push(`${noise}\n\n0: kd> M1_\n0: kd> `)).toEqual([
      { kind: 'noise', text: noise },
      { kind: 'mark', prompt: '0: kd> ' },
    ]);
  });

  it('keeps target output that arrives between the prompt and the marker', () => {
    const reader = new ConsoleReader();
    reader.push('0: kd> ');
    reader.arm('M1_');
    const steps = reader.push('KDTARGET: Refreshing KD connection\n\n0: kd> M1_\n');
    expect(textOf(steps)).toBe('KDTARGET: Refreshing KD connection\n');
    expect(steps.at(-1)).toEqual({ kind: 'mark', prompt: '0: kd> ' });
  });

  it('is not fooled by a forged prompt: the marker stays the proof', () => {
    const reader = new ConsoleReader();
    reader.push('tick\n0: kd> ');
    reader.arm('M1_');
    const running = [...reader.push('hello\ntick\n'), ...reader.flush()];
    expect(running.some((step) => step.kind === 'mark')).toBe(false);
    expect(textOf(running)).toBe('0: kd> hello\ntick\n');
    const stop = reader.push('Breakpoint 0 hit\n0: kd> \n0: kd> M1_\n0: kd> ');
    expect(textOf(stop)).toBe('Breakpoint 0 hit\n');
    expect(stop.at(-1)).toEqual({ kind: 'mark', prompt: '0: kd> ' });
  });

  it('holds nothing back behind a prompt that was forged', () => {
    const reader = new ConsoleReader();
    reader.push('0: kd> ');
    reader.arm('M1_');
    expect(textOf(reader.push('\n\nmydriver: two\n'))).toBe('');
    expect(textOf(reader.flush())).toBe('');
    expect(textOf(reader.flush(true))).toBe('0: kd> \n\nmydriver: two\n');
    const stop = reader.push('Breakpoint 0 hit\n0: kd> \n0: kd> M1_\n0: kd> ');
    expect(textOf(stop)).toBe('Breakpoint 0 hit\n');
    expect(stop.at(-1)).toEqual({ kind: 'mark', prompt: '0: kd> ' });
  });

  it('gives out an unfinished line when nothing comes, and the rest of it later', () => {
    const reader = new ConsoleReader();
    reader.push('Loading Kernel Symbols\n....');
    expect(textOf(reader.flush())).toBe('....');
    const steps = reader.push('..\nLoading User Symbols\n');
    expect(textOf(steps)).toBe('..\nLoading User Symbols\n');
    expect(linesOf(steps)).toEqual(['......', 'Loading User Symbols']);
  });

  it('passes a line without end on in pieces and keeps little of it', () => {
    const reader = new ConsoleReader();
    let seen = '';
    for (let i = 0; i < 100; i++) seen += textOf(reader.push('x'.repeat(10_000)));
    expect(reader.tail.length).toBeLessThan(80_000);
    seen += textOf(reader.push('\n'));
    expect(seen).toBe(`${'x'.repeat(1_000_000)}\n`);
  });

  it('drops the prompts that pile up when kd reads lines that print nothing', () => {
    const reader = new ConsoleReader();
    reader.push('0: kd> ');
    reader.arm('M1_');
    reader.push('\n0: kd> M1_\n0: kd> ');
    reader.push('0: kd> 0: kd> ');
    reader.absorbPrompts();
    const steps = reader.push('output\n');
    expect(textOf(steps)).toBe('output\n');
  });

  it('swallows nothing behind a noise line whose beginning was given out already', () => {
    const noise = 'Error getting port connector information: 0x00000057';
    for (let cut = 1; cut < noise.length; cut++) {
      const reader = new ConsoleReader();
      let text = textOf(reader.push(`dots ..${noise.slice(0, cut)}`)) + textOf(reader.flush());
      text += textOf(reader.push(`${noise.slice(cut)}\n.. and the rest of the line\nnext\n`));
      expect(text).toBe('dots .... and the rest of the line\nnext\n');
    }
  });

  it('ends no piece of an endless line inside of a secret', () => {
    const secret = 'abcdefghijkl.mnopqrstuvwx';
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 }), fc.boolean(), (shift, armed) => {
        const redactor = createRedactor([secret]);
        const reader = new ConsoleReader((text) => redactor.unfinished(text));
        let text = '';
        const take = (steps: readonly Step[]): void => {
          for (const step of steps) if (step.kind === 'text') text += redactor.redact(step.text);
        };
        if (armed) {
          take(reader.push('0: kd> '));
          reader.arm('M1_');
        }
        for (let n = 0; n < 8; n++) take(reader.push(`${secret} `.repeat(1_000) + '-'.repeat(shift)));
        take(reader.flush());
        take(reader.push('\n'));
        take(reader.end());
        expect(text).not.toContain(secret.slice(0, 8));
        expect(text.match(/<redacted>/g)?.length).toBe(8_000);
      }),
      { numRuns: 30 },
    );
  });

  it('keeps little of a line without end while a marker is on its way, and finds the marker behind it', () => {
    const reader = new ConsoleReader();
    reader.push('0: kd> ');
    reader.arm('M1_');
    let seen = '';
    for (let i = 0; i < 200; i++) {
      seen += textOf(reader.push('x'.repeat(10_000)));
      expect(reader.tail.length).toBeLessThan(80_000);
    }
    const steps = reader.push('0: kd> \n0: kd> M1_\n0: kd> ');
    seen += textOf(steps);
    expect(seen).toBe(`0: kd> ${'x'.repeat(2_000_000)}\n`);
    expect(steps.at(-1)).toEqual({ kind: 'mark', prompt: '0: kd> ' });
  });

  it('takes the prompt right before the marker when text of the target stands before it', () => {
    const reader = new ConsoleReader();
    reader.push('0: kd> ');
    reader.arm('M1_');
    const steps = reader.push('\ntick 0: kd> M1_\n');
    expect(textOf(steps)).toBe('tick \n');
    expect(steps.at(-1)).toEqual({ kind: 'mark', prompt: '0: kd> ' });
  });

  it('a marker that comes a second time is shown to nobody', () => {
    const reader = new ConsoleReader();
    reader.push('0: kd> ');
    reader.arm('M1_');
    expect(reader.again()).toBe('M1_');
    reader.push('\n0: kd> M1_\n0: kd> ');
    expect(textOf(reader.push('M1_\n0: kd> output\n'))).toBe('output\n');
  });
});

describe('the answer to a Ctrl+F line that was left in stdin', () => {
  const answer = "       ^ Syntax error in '\u0006'";

  it('is no output of the command before it', () => {
    const reader = new ConsoleReader();
    const steps = [...reader.push('result\n0: kd> ')];
    reader.arm('M1_');
    steps.push(...reader.push(`${answer}\n0: kd> \n0: kd> M1_\n0: kd> `));
    expect(textOf(steps)).toBe('result\n');
    expect(linesOf(steps)).toEqual(['result']);
    expect(steps.at(-1)).toEqual({ kind: 'mark', prompt: '0: kd> ' });
  });

  it('is no output of the command behind it', () => {
    const reader = new ConsoleReader();
    reader.push('0: kd> ');
    reader.arm('M1_');
    reader.push('\n0: kd> M1_\n0: kd> ');
    const steps = [...reader.push(`${answer}\n0: kd> `)];
    // The next command is read after it; its prompt looks like the end of that command.
    reader.arm('M2_');
    steps.push(...reader.push('result\n0: kd> \n0: kd> M2_\n0: kd> '));
    expect(textOf(steps)).toBe('result\n');
  });
});

describe('a marker whose .echo a break cut short', () => {
  it.each(['KDMCP_0123456789ab_7_', 'kdmcp_0123456789ab_7_', 'KDMCP_0123456789'])(
    'is given up, so that the next prompt is asked anew (%s)',
    (echoed) => {
      const reader = new ConsoleReader();
      const steps = [...reader.push('result\n0: kd> ')];
      reader.arm('KDMCP_0123456789ab_7_');
      steps.push(
        ...reader.push(`\n0: kd>      ^ User interrupted operation error in '.echo ${echoed}'\n0: kd> `),
      );
      expect(reader.armed).toBe(false);
      reader.arm('KDMCP_0123456789ab_8_');
      steps.push(...reader.push('\n0: kd> KDMCP_0123456789ab_8_\n0: kd> '));
      expect(textOf(steps)).toBe('result\n');
      expect(steps.at(-1)).toEqual({ kind: 'mark', prompt: '0: kd> ' });
    },
  );

  it('is not given up for the same error of another command', () => {
    const reader = new ConsoleReader();
    reader.push('0: kd> ');
    reader.arm('KDMCP_0123456789ab_7_');
    reader.push("\n0: kd>   ^ User interrupted operation error in '.echo something else that is long'\n");
    expect(reader.armed).toBe(true);
  });
});

describe('reading hostile text takes no longer than reading any', () => {
  const digits = '1'.repeat(60_000);

  it.each([
    ['a prompt at the end', () => promptAtEnd(`${digits}> `)],
    ['prompts in a log', () => new LogFilter('M_').push(`${digits}> \n`)],
    ['events', () => eventOf(`Windows ${'Kernel Version 1 '.repeat(4_000)}`)],
    ['an exception', () => eventOf(`${' - code c0000005 (second'.repeat(3_000)} chance`)],
    ['a question', () => questionIn(`${'(boipt)? '.repeat(6_000)}x`, 'a')],
  ])('%s', (_what, read) => {
    const before = performance.now();
    read();
    expect(performance.now() - before).toBeLessThan(500);
  });
});
