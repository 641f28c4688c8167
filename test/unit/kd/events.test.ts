import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventOf, mayTell } from '../../../src/kd/events.ts';
import { stripPrompts } from '../../../src/kd/prompts.ts';

/** Lines that tell something, some behind a prompt. */
const TELLING = [
  'Microsoft (R) Windows Debugger Version 10.0.29507.1001 AMD64',
  'Waiting to reconnect...',
  'Connected to target 127.0.0.1 on port 50000 on local IP 127.0.0.1.',
  'Kernel Debugger connection established.',
  '0: kd> Break instruction exception - code 80000003 (first chance)',
  'Access violation - code c0000005 (!!! second chance !!!)',
  'Unknown exception - code 40010005 (first chance)',
  'Single step exception - code 80000004 (second chance)',
  'Breakpoint 0 hit',
  '*** Fatal System Error: 0x000000d1',
  '                       (0x000000000000DEAD,0x0000000000000002,0x0000000000000000,0xFFFFF8031A0010C2)',
  "        ^ Syntax error in 'foo'",
  "^ Syntax error in 'foo'",
  "Couldn't resolve error at 'oo'",
  "   ^ User interrupted operation error in '.for'",
  '-- User interrupt',
  'kd> kd> Shutdown occurred at (Mon Nov 30 21:17:50.376 2026 (UTC + 0:00))...unloading all symbol tables.',
];
const SILENT = [
  '',
  '  ',
  'PROCESS ffffa80112345040',
  '    Image: System',
  'fffff803`12400000  4d 5a',
  'Cid',
  'é',
];

const tells = (line: string): boolean =>
  eventOf(line) !== undefined || eventOf(stripPrompts(line)) !== undefined;

describe('looking at a whole text before its lines', () => {
  it('knows each line that tells something', () => {
    for (const line of TELLING) {
      expect(tells(line), line).toBe(true);
      expect(mayTell(`${line}\n`), line).toBe(true);
    }
  });

  it('passes over what tells nothing', () => {
    for (const line of SILENT) expect(mayTell(`${line}\n`), line).toBe(false);
    expect(mayTell(`${SILENT.join('\n')}\n`)).toBe(false);
  });

  it('never misses a line, wherever it stands', () => {
    const line = fc.oneof(fc.constantFrom(...TELLING), fc.constantFrom(...SILENT), fc.string());
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const clean = lines.map((text) => text.replace(/[\r\n]/g, ''));
        if (clean.some(tells)) expect(mayTell(`${clean.join('\n')}\n`)).toBe(true);
      }),
    );
  });
});
