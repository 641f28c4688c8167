import { afterEach, describe, expect, test, vi } from 'vitest';
import { KdConsole } from '../../../src/ui/console.ts';
import { english } from '../../../src/ui/l10n.ts';
import { FakeSession, sessionInfo } from './fake-sessions.ts';
import { FakeScreen } from './screen.ts';

// readline falls back to no editing at all in a dumb terminal, which a build machine may name.
process.env.TERM = 'xterm-256color';

const opened: KdConsole[] = [];
afterEach(() => {
  for (const each of opened.splice(0)) each.dispose();
});

async function consoleOn(session: FakeSession, columns = 40) {
  const screen = new FakeScreen(columns);
  const writes: string[] = [];
  const onDetach = vi.fn();
  const onQuit = vi.fn();
  const history: string[] = [];
  const subject = new KdConsole({
    session,
    person: 'Minsu',
    t: english,
    write: (text) => {
      writes.push(text);
      screen.write(text);
    },
    onDetach,
    onQuit,
    onHistory: (line) => history.push(line),
  });
  opened.push(subject);
  subject.resize(columns, 24);
  await subject.open();
  const shows = (text: string) => vi.waitFor(() => expect(screen.text).toBe(text));
  return { screen, writes, subject, shows, onDetach, onQuit, history };
}

const halted = () => new FakeSession(sessionInfo({ state: 'broken', prompt: '0: kd>' }));
const PROMPT = { kind: 'prompt' } as const;
const mine = { kind: 'command', by: { kind: 'person', name: 'Minsu' }, seq: 1 } as const;
const agents = { kind: 'command', by: { kind: 'agent', name: 'Copilot' }, seq: 2 } as const;

describe('the console of a session', () => {
  test('output comes above the prompt, and what is typed stays behind it', async () => {
    const session = halted();
    const { subject, shows } = await consoleOn(session);
    session.output('nt!DbgBreakPointWithStatus:\n');
    session.output('0: kd> ', PROMPT);
    await shows('nt!DbgBreakPointWithStatus:\n0: kd>');
    subject.input('lm m nt');
    await shows('nt!DbgBreakPointWithStatus:\n0: kd> lm m nt');
  });

  test('a typed command is sent once and shown once', async () => {
    const session = halted();
    const { subject, shows, history } = await consoleOn(session);
    session.output('0: kd> ', PROMPT);
    subject.input('r\r');
    await vi.waitFor(() => expect(session.asked).toContain('command r'));
    session.output('r\n', mine);
    session.output('rax=0000000000000001\n');
    session.output('0: kd> ', PROMPT);
    await shows('0: kd> r\nrax=0000000000000001\n0: kd>');
    expect(history).toEqual(['r']);
  });

  test("an agent's command is shown with the agent's name, and the half-typed line survives it", async () => {
    const session = halted();
    const { subject, shows } = await consoleOn(session);
    session.output('0: kd> ', PROMPT);
    subject.input('!pro');
    session.output('lm\n', agents);
    session.output('start end module\n');
    session.output('0: kd> ', PROMPT);
    await shows('0: kd> lm  ◂ Copilot\nstart end module\n0: kd> !pro');
  });

  test('output that arrives in fragments makes one line', async () => {
    const session = new FakeSession();
    const { shows } = await consoleOn(session);
    for (const fragment of ['Loading Kernel Symbols\n', '.....', '.....', '\nDone', '\n'])
      session.output(fragment);
    await shows('Loading Kernel Symbols\n..........\nDone');
  });

  test('a typed line that wraps is taken off the screen with all its rows', async () => {
    const session = halted();
    const { subject, shows } = await consoleOn(session, 20);
    session.output('0: kd> ', PROMPT);
    subject.input('!process 0 0 explorer.exe -x');
    await shows('0: kd> !process 0 0\nexplorer.exe -x');
    session.output('\nHello\n');
    await shows('0: kd>\nHello\n!process 0 0 explore\nr.exe -x');
  });

  test('Ctrl+C breaks in, and first of all clears what is typed', async () => {
    const session = new FakeSession();
    const { subject } = await consoleOn(session);
    subject.input('half');
    subject.input('\x03');
    expect(session.asked).not.toContain('break');
    subject.input('\x03');
    await vi.waitFor(() => expect(session.asked).toContain('break'));
  });

  test('a command for a running target is not sent; the person is told what to do', async () => {
    const session = new FakeSession();
    const { subject, shows } = await consoleOn(session, 100);
    subject.input('r\r');
    await shows('r\nThe target runs and kd reads no command. Press Ctrl+C to break in.');
    expect(session.asked.filter((each) => each.startsWith('command'))).toEqual([]);
  });

  test('an empty line is never sent, because kd would repeat the last command', async () => {
    const session = halted();
    const { subject, shows } = await consoleOn(session);
    session.output('0: kd> ', PROMPT);
    subject.input('\r');
    await shows('0: kd>\n0: kd>');
    expect(session.asked.filter((each) => each.startsWith('command'))).toEqual([]);
  });

  test("an answer to kd's question may be empty", async () => {
    const session = new FakeSession(sessionInfo({ state: 'asking', question: 'Hit Enter...' }));
    const { subject } = await consoleOn(session);
    subject.input('\r');
    await vi.waitFor(() => expect(session.asked).toContain('answer '));
  });

  test('a refusal is shown in its own words', async () => {
    const session = halted();
    session.refusal = 'Alice has control: agents may only look.';
    const { subject, shows } = await consoleOn(session, 100);
    session.output('0: kd> ', PROMPT);
    subject.input('g\r');
    await shows('0: kd> g\nAlice has control: agents may only look.');
  });

  test('a typed q is not sent: the person is asked what becomes of the guest', async () => {
    const session = halted();
    const { subject, onQuit } = await consoleOn(session);
    subject.input('q\r');
    await vi.waitFor(() => expect(onQuit).toHaveBeenCalledOnce());
    expect(session.asked).not.toContain('command q');
  });

  test('Ctrl+D detaches and Ctrl+Z stops nothing', async () => {
    const session = halted();
    const { subject, onDetach } = await consoleOn(session);
    subject.input('\x1a');
    subject.input('\x04');
    await vi.waitFor(() => expect(onDetach).toHaveBeenCalledOnce());
  });

  test('a flood is written in small portions, and its oldest part is left to the transcript', async () => {
    const session = new FakeSession();
    const { writes, screen } = await consoleOn(session, 200);
    const line = `${'x'.repeat(99)}\n`;
    for (let count = 0; count < 50; count += 1) session.output(line.repeat(1000));
    session.output('last line\n');
    await vi.waitFor(() => expect(screen.text.endsWith('last line')).toBe(true), 10_000);
    expect(Math.max(...writes.map((each) => each.length))).toBeLessThan(17_000);
    expect(screen.text).toContain('characters skipped here; the transcript has them.');
  });

  test('the target cannot reach the terminal with an escape sequence, however it is split', async () => {
    const session = new FakeSession();
    const { writes, shows } = await consoleOn(session);
    session.output('\x1b');
    session.output(']52;c;aGk=\x07\n');
    await shows('\u241b]52;c;aGk=\u2407');
    expect(writes.join('')).not.toContain('\x1b]');
  });

  test('a session that is gone without a word is said to be, and where its transcript is', async () => {
    const session = halted();
    const { shows } = await consoleOn(session, 100);
    session.close();
    await shows('The session is gone.\nTranscript: /home/transcript.log');
  });

  test('several pasted lines are shown and run only after Enter, as one unit', async () => {
    const session = halted();
    const { subject, shows } = await consoleOn(session, 100);
    session.output('0: kd> ', PROMPT);
    subject.input('\x1b[200~r rax\r\n');
    subject.input('lm m nt\r\x1b[201~');
    const shown =
      '  r rax\n  lm m nt\n2 lines pasted. Enter runs them one after the other, any other key discards them.';
    await shows(`${shown}\n0: kd>`);
    expect(session.asked.filter((each) => each.startsWith('command'))).toEqual([]);
    subject.input('\r');
    await vi.waitFor(() => expect(session.asked).toContain('command r rax|lm m nt'));
    session.output('r rax\n', mine);
    await shows(`${shown}\n0: kd> r rax`);
  });

  test('any other key discards pasted lines, and a pasted quit is asked about', async () => {
    const session = halted();
    const { subject, onQuit } = await consoleOn(session, 100);
    subject.input('\x1b[200~r\rg\x1b[201~');
    subject.input('\x1b');
    subject.input('\x1b[200~r\rq\x1b[201~');
    subject.input('\r');
    await vi.waitFor(() => expect(onQuit).toHaveBeenCalledOnce());
    expect(session.asked.filter((each) => each.startsWith('command'))).toEqual([]);
  });

  test('one pasted line is edited like a typed one, and its line end does not send it', async () => {
    const session = halted();
    const { subject, shows } = await consoleOn(session);
    session.output('0: kd> ', PROMPT);
    subject.input('\x1b[200~lm m nt\r\n\x1b[201~');
    await shows('0: kd> lm m nt');
    expect(session.asked.filter((each) => each.startsWith('command'))).toEqual([]);
  });

  test('what is typed while another command runs is said to be queued, and shown where it runs', async () => {
    const session = new FakeSession(
      sessionInfo({
        state: 'busy',
        command: { seq: 1, text: '!process 0 7', by: { kind: 'agent', name: 'Copilot' }, since: 0 },
      }),
    );
    const { subject, shows } = await consoleOn(session, 100);
    subject.input('r\r');
    await shows('r\nQueued behind !process 0 7 (Copilot)');
    session.output('much text\n');
    session.output('0: kd> ', PROMPT);
    session.output('r\n', mine);
    session.output('rax=1\n');
    await shows('r\nQueued behind !process 0 7 (Copilot)\nmuch text\n0: kd> r\nrax=1');
  });

  test.each([
    ['Break instruction exception - code 80000003 (first chance)', '\x1b[33m'],
    ['Breakpoint 0 hit', '\x1b[33m'],
    ['*** Fatal System Error: 0x000000d1', '\x1b[1;31m'],
    ["         ^ Syntax error in 'foo'", '\x1b[31m'],
    ['WARNING: Stack unwind information not available.', '\x1b[33m'],
  ])('the line "%s" has the colour of its meaning', async (line, colour) => {
    const session = new FakeSession();
    const { writes } = await consoleOn(session, 100);
    session.output(line.slice(0, 5));
    session.output(`${line.slice(5)}\nplain\n`);
    await vi.waitFor(() => expect(writes.join('')).toContain('plain'));
    expect(writes.join('')).toContain(`${colour}${line}\x1b[0m\r\nplain\r\n`);
  });
});
