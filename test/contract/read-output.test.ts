import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainText } from '../../src/tools/text.ts';
import { FakeSession, recordOf } from './fake-sessions.ts';
import { ToolCaller } from './tool-caller.ts';

/** The debugger's text in a reply. */
function body(reply: string): string {
  return /<kd-output [0-9a-f]{6}> [^\n]*\n([\s\S]*)\n<\/kd-output [0-9a-f]{6}>/.exec(reply)?.[1] ?? '';
}

function nextCursor(reply: string): number {
  return Number(/read_output\(session_id="net-50000", from=(\d+)\)$/.exec(reply)?.[1]);
}

describe('read_output', () => {
  it('pages through everything without a gap or an overlap', async () => {
    const line = fc.stringMatching(/^[ -~]{0,120}$/).map((text) => `|${text}|`);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(line, fc.constantFrom('한국어 텍스트', '😀"\\\\', '\u001b[1m')), {
          minLength: 1,
          maxLength: 400,
        }),
        async (lines) => {
          const tools = new ToolCaller();
          const session = tools.sessions.add(new FakeSession('net-50000'));
          const text = lines.map((one) => `${one}\n`).join('');
          session.print(text);
          let seen = '';
          for (let at = 0; at < session.info.transcriptEnd; ) {
            const reply = await tools.ok('read_output', { from: at });
            expect(Buffer.byteLength(reply)).toBeLessThanOrEqual(8192);
            seen += `${body(reply)}\n`;
            const next = nextCursor(reply);
            expect(next).toBeGreaterThan(at);
            at = next;
          }
          // Line ends at the end of a page are not shown: compare what is on the lines.
          expect(seen.split(/\n+/).join('\n')).toBe(`${plainText(text)}`.split(/\n+/).join('\n'));
        },
      ),
      { numRuns: 25 },
    );
  });

  it('shows the end by default, and says what is before it', async () => {
    const tools = new ToolCaller();
    const session = tools.sessions.add(new FakeSession('net-50000'));
    session.print('x'.repeat(20_000));
    session.print('\nthe end\n');
    const reply = await tools.ok('read_output');
    expect(body(reply)).toMatch(/xxx\nthe end$/);
    expect(reply).toMatch(/bytes \d+–20009 of 20009, \d+ bytes before/);
    expect(reply).toMatch(/end of output; later: read_output\(session_id="net-50000", from=20009\)$/);
  });

  it('takes tail_chars of the predecessor', async () => {
    const tools = new ToolCaller();
    tools.sessions.add(new FakeSession('net-50000')).print('first\n한국어😀');
    expect(body(await tools.ok('read_output', { session_id: 'net-50000', tail_chars: 4 }))).toBe('한국어😀');
  });

  it('finds lines', async () => {
    const tools = new ToolCaller();
    tools.sessions.add(new FakeSession('net-50000')).print('alpha\nBeta 1\ngamma\nbeta 2\n');
    const reply = await tools.ok('read_output', { grep: 'beta \\d' });
    expect(body(reply)).toBe('Beta 1\nbeta 2');
    expect(reply).toMatch(/from=26, grep="beta \\\\d"\)$/);
  });

  it('reads a session that has ended, and says how', async () => {
    const tools = new ToolCaller();
    const { info } = new FakeSession('com-1');
    tools.sessions.over.push({
      ...recordOf(info),
      ended: { at: 1, reason: 'kd was killed', guest: 'frozen' },
    });
    tools.sessions.overText.set('com-1', 'last words\n');
    const reply = await tools.ok('read_output', { session_id: 'com-1' });
    expect(reply).toMatch(/^com-1 · ended · guest: frozen · kd was killed/);
    expect(body(reply)).toBe('last words');
    expect(await tools.error('read_output', { session_id: 'com-9' })).toContain('no session com-9');
  });

  it('answers cursors outside of the transcript', async () => {
    const tools = new ToolCaller();
    tools.sessions.add(new FakeSession('net-50000')).print('한');
    expect(await tools.ok('read_output', { from: 99 })).toContain('(no output)');
    expect(await tools.error('read_output', { from: -5 })).toContain('from: expected an integer, at least 0');
  });
});
