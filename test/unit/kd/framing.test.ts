import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConsoleReader, type Step } from '../../../src/kd/framing.ts';
import { promptAtEnd } from '../../../src/kd/prompts.ts';
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
});
