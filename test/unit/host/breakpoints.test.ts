import { describe, expect, test } from 'vitest';
import { afterCommand, type Breakpoint, touchesBreakpoints } from '../../../src/host/breakpoints.ts';

const A = { kind: 'agent', name: 'a' } as const;
const P = { kind: 'person', name: 'p' } as const;
const numbers = (list: readonly Breakpoint[]) => list.map((one) => one.number);
const run = (lines: readonly string[], output = '') =>
  lines.reduce<readonly Breakpoint[]>((list, line) => afterCommand(list, line, A, output), []);

describe('remembered breakpoints', () => {
  test('a new one gets the lowest free number', () => {
    expect(numbers(run(['bp nt!A', 'bu mydriver!B', 'ba w4 nt!C', 'bc 1', 'bp nt!D']))).toEqual([0, 1, 2]);
    expect(run(['bp nt!A', 'bp nt!B', 'bc 0', 'bp nt!D']).find((one) => one.number === 0)?.command).toBe(
      'bp nt!D',
    );
  });

  test('a number of its own is kept, and several commands on a line count', () => {
    expect(numbers(run(['bp5 nt!A "k; g"; bp nt!B']))).toEqual([0, 5]);
  });

  test('who set it and whether it is enabled is known', () => {
    let list = afterCommand([], 'bp nt!A', A, '');
    list = afterCommand(list, 'bp nt!B', P, '');
    list = afterCommand(list, 'bd 0', P, '');
    expect(list).toEqual([
      { number: 0, command: 'bp nt!A', by: A, enabled: false },
      { number: 1, command: 'bp nt!B', by: P, enabled: true },
    ]);
    expect(afterCommand(list, 'be 0-1', A, '').every((one) => one.enabled)).toBe(true);
    expect(afterCommand(list, 'bc *', A, '')).toEqual([]);
    expect(numbers(afterCommand(list, 'bc 0,1', A, ''))).toEqual([]);
  });

  test('bl sets it right', () => {
    const list = run(['bp nt!A', 'bp nt!B', 'bp nt!C']);
    const output =
      '     0 e Disable Clear  fffff801`0bf9b1c0     0001 (0001) nt!A\n     2 d Enable Clear  fffff801`0bf9b1d0     0001 (0001) nt!C\n\n';
    expect(afterCommand(list, 'bl', P, output)).toEqual([
      { number: 0, command: 'bp nt!A', by: A, enabled: true },
      { number: 2, command: 'bp nt!C', by: A, enabled: false },
    ]);
  });

  test('bm takes the numbers it prints, and a redefined one keeps its own', () => {
    expect(
      numbers(
        run(
          ['bm nt!NtOpen*'],
          '  1: fffff803`12345678 @!"nt!NtOpenFile"\n  2: fffff803`1 @!"nt!NtOpenKey"\n',
        ),
      ),
    ).toEqual([1, 2]);
    const list = run(['bp nt!A', 'bp nt!B']);
    expect(afterCommand(list, 'bp nt!B', P, 'breakpoint 1 redefined\n')[1]?.by).toEqual(P);
  });

  test('other commands are none of it', () => {
    expect(['r', 'db rsp', '!process 0 0', '.echo bp nt!A', 'k; g'].some(touchesBreakpoints)).toBe(false);
    expect(['bp nt!A', 'k; bc *', 'BL'].every(touchesBreakpoints)).toBe(true);
  });
});
