import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PatternError } from '../../../src/host/search.ts';
import { Transcript } from '../../../src/host/transcript.ts';

const BY = { kind: 'agent', name: 'a' } as const;

describe('a transcript', () => {
  let folder: string;
  let transcript: Transcript;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kdt-'));
    transcript = new Transcript(folder, join(folder, 'transcript.log'));
  });
  afterEach(() => {
    transcript.dispose();
    rmSync(folder, { recursive: true, force: true });
  });
  const kd = (text: string) => transcript.append({ kind: 'kd', text });

  test('looks like a console: prompt and command are one line, a remark is a line of its own', () => {
    kd('stopped\n');
    transcript.append({ kind: 'prompt', text: '0: kd> ' });
    transcript.append({ kind: 'remark', text: '[KD-MCP] somebody looked' });
    transcript.append({ kind: 'prompt', text: '0: kd> ' });
    transcript.append({ kind: 'command', text: 'r', by: BY, seq: 1 });
    expect(transcript.read(0, 1_000).text).toBe('stopped\n0: kd> \n[KD-MCP] somebody looked\n0: kd> r\n');
    expect(readFileSync(transcript.path, 'utf8')).toBe(transcript.read(0, 1_000).text);
  });

  test('pages of any size, read one after the other, are the whole text', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 40 }), { maxLength: 8 }),
        fc.integer({ min: 1, max: 30 }),
        (texts, size) => {
          const begin = transcript.end;
          for (const text of texts) kd(text);
          let read = '';
          for (let at = begin; at < transcript.end; ) {
            const slice = transcript.read(at, size);
            expect(slice.from).toBe(at);
            expect(slice.to - slice.from).toBe(Buffer.byteLength(slice.text));
            expect(slice.to).toBeGreaterThan(at);
            read += slice.text;
            at = slice.to;
          }
          expect(read).toBe(texts.join(''));
        },
      ),
    );
  });

  test('a cursor inside a character begins at the next one, and the tail is never half of one', () => {
    kd('ㅎ안녕');
    expect(transcript.read(1, 100)).toEqual({ text: '안녕', from: 3, to: 9, end: 9 });
    expect(transcript.read(-4, 100)).toEqual({ text: '녕', from: 6, to: 9, end: 9 });
    expect(transcript.read(-100, 5).text).toBe('ㅎ');
    expect(transcript.read(100, 5)).toEqual({ text: '', from: 9, to: 9, end: 9 });
  });

  test('half surrogates do not reach the file', () => {
    kd('a\ud800b');
    expect(transcript.read(0, 100).text).toBe('a\ufffdb');
  });

  test('finds lines by text or expression, without case, and says where to go on', async () => {
    for (let line = 0; line < 30; line++) kd(`line ${line} ${line % 3 === 0 ? 'Pool' : 'tag'}\n`);
    expect((await transcript.search(0, 1_000, 'pool')).text.split('\n')).toHaveLength(11);
    expect((await transcript.search(0, 1_000, 'line 1[0-2] ')).text).toBe(
      'line 10 tag\nline 11 tag\nline 12 Pool\n',
    );
    expect((await transcript.search(0, 1_000, '/LINE 29/')).text).toBe('line 29 tag\n');
    expect((await transcript.search(0, 1_000, 'line (')).text).toBe('');
    const first = await transcript.search(0, 30, 'pool');
    expect(first.text).toBe('line 0 Pool\nline 3 Pool\n');
    const second = await transcript.search(first.to, 30, 'pool');
    expect(second.text).toBe('line 6 Pool\nline 9 Pool\n');
  });

  test('searches lines longer than what is read at once, and text without any line end', async () => {
    kd(`${'가'.repeat(200_000)}needle${'나'.repeat(10)}`);
    const found = await transcript.search(0, 100, 'needle');
    expect(found.to).toBe(transcript.end);
  });

  test('a pattern that would take for ever is refused', async () => {
    kd(`${'a'.repeat(60)}!\n`);
    await expect(transcript.search(0, 100, '(a+)+$')).rejects.toThrow(PatternError);
  });

  test('what was appended in one turn is in the file at the end of it', async () => {
    kd('x'.repeat(10));
    await new Promise((resolve) => setImmediate(resolve));
    expect(readFileSync(transcript.path, 'utf8')).toBe('x'.repeat(10));
  });
});
