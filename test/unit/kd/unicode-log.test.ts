import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRedactor } from '../../../src/kd/redact.ts';
import { LogFilter, UnicodeLog } from '../../../src/kd/unicode-log.ts';

describe('what of a log is shown', () => {
  it.each<[string, string, string]>([
    ['output', '0: kd> k\n# Call Site\n', '# Call Site\n'],
    ['output that looks like a prompt', '0: kd> k\n0: kd> x\na kd> b\n', '0: kd> x\na kd> b\n'],
    ['output that is the command again', '0: kd> k\n0: kd> k\n', '0: kd> k\n'],
    ['a command behind two prompts', '0: kd> 0: kd> k\nout\n', 'out\n'],
    ['output without its newline', '0: kd> k\npart0: kd> .echo\n\n0: kd> .echo M_1_\nM_1_\n', 'part\n'],
    ['target text at an idle prompt', '0: kd> hello\n', 'hello\n'],
    ['a prompt without its blank', '0: kd>k\nout\n', 'out\n'],
  ])('%s', (_what, log, shown) => {
    for (const size of [1, 3, log.length]) {
      const filter = new LogFilter('M_');
      filter.sent('k');
      let text = '';
      for (let at = 0; at < log.length; at += size) text += filter.push(log.slice(at, at + size));
      expect(text).toBe(shown);
    }
  });

  it("a blank line of the user's own .echo, but not of ours", () => {
    const filter = new LogFilter('M_');
    filter.sent('.echo');
    expect(filter.push('0: kd> .echo\n\n0: kd> .echo\n\n0: kd> .echo M_1_\nM_1_\n')).toBe('\n');
  });
});

describe('a line without end', () => {
  it('is passed on in pieces that end in no secret, and what follows it is read as ever', () => {
    const secret = 'abcdefghijkl.mnopqrstuvwx';
    const redactor = createRedactor([secret]);
    const filter = new LogFilter('M_', (text) => redactor.unfinished(text));
    filter.sent('k');
    let shown = redactor.redact(filter.push('0: kd> k\n'));
    for (let n = 0; n < 2_000; n++) shown += redactor.redact(filter.push(`${secret} `.repeat(40)));
    expect(shown.length).toBeGreaterThan(500_000);
    shown += redactor.redact(filter.push('0: kd> .echo\n\n0: kd> .echo M_1_\nM_1_\n0: kd> '));
    expect(shown).toBe(`${'<redacted> '.repeat(80_000)}\n`);
  });
});

describe('a log', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'kd-log-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, text: string): void =>
    writeFileSync(path.join(folder, name), Buffer.from(`\ufeff${text}`, 'utf16le'));

  it('that kd did not write is none', () => {
    const log = new UnicodeLog(folder, 'M_');
    expect(log.nextCommand()).toBe('.logopen /u kd-1.log');
    expect(log.begin()).toBe(false);
    expect(log.active).toBe(false);
    expect([...log.read(true)].join('')).toBe('');
  });

  it('is replaced when it has grown too long, and deleted; nothing is lost', () => {
    const log = new UnicodeLog(folder, 'M_');
    log.nextCommand();
    const line = `${'\ud55c'.repeat(1_000)}\n`;
    write('kd-1.log', line.repeat(17_000));
    expect(log.begin()).toBe(true);
    let length = 0;
    let longest = 0;
    for (const piece of log.read(false)) {
      length += piece.length;
      longest = Math.max(longest, piece.length);
    }
    expect(length).toBe(line.length * 17_000);
    expect(longest).toBeLessThan(100_000);
    expect(log.due).toBe(true);
    expect(log.nextCommand()).toBe('.logopen /u kd-2.log');
    write('kd-2.log', 'next\n');
    expect(log.begin()).toBe(true);
    expect(log.due).toBe(false);
    expect([...log.read(true)].join('')).toBe('next\n');
    expect(existsSync(path.join(folder, 'kd-1.log'))).toBe(false);
  });
});
