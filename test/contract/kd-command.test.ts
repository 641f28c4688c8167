import { beforeEach, describe, expect, it } from 'vitest';
import { FakeSession } from './fake-sessions.ts';
import { ToolCaller } from './tool-caller.ts';

let tools: ToolCaller;
let session: FakeSession;
beforeEach(() => {
  tools = new ToolCaller();
  session = tools.sessions.add(new FakeSession('net-50000'));
});

describe('kd_command', () => {
  it('answers with the state, the command and its output inside a fence', async () => {
    session.respond = () => 'rax=0000000000000000\n';
    const text = await tools.ok('kd_command', { session_id: 'net-50000', command: 'r' });
    expect(text).toMatch(
      /^net-50000 · broken \(guest frozen [\d.]+ s, halted by agent test\) · 0: kd> · cursor \d+\n#1 "r" · done, 0 s · reads target\n<kd-output [0-9a-f]{6}> .*\nrax=0000000000000000\n<\/kd-output [0-9a-f]{6}>$/,
    );
  });

  it('runs each line as a command with its own result', async () => {
    const text = await tools.ok('kd_command', { command: 'r\n\n  \r\nk\nlm' });
    expect(session.sent).toEqual(['r', 'k', 'lm']);
    expect(text).toMatch(
      /#1 "r"[\s\S]*output of r\n[\s\S]*#2 "k"[\s\S]*output of k\n[\s\S]*#3 "lm"[\s\S]*output of lm\n/,
    );
  });

  it('keeps the whole line as it is, blanks and semicolons included', async () => {
    await tools.ok('kd_command', { command: '  bp nt!X "k;g" ; .echo  a ' });
    expect(session.sent).toEqual(['  bp nt!X "k;g" ; .echo  a ']);
  });

  it('quotes what kd refused and is an error when nothing else happened', async () => {
    session.respond = () => "          ^ Syntax error in '.foo'\n";
    const text = await tools.error('kd_command', { command: '.foo' });
    expect(text).toContain(`kd: "^ Syntax error in '.foo'"`);
    session.respond = (line) => (line === 'r' ? 'ok\n' : '  ^ Syntax error\n');
    expect((await tools.call('kd_command', { command: 'r\n.foo' })).isError).toBe(false);
  });

  it('sends nothing when there is no command, because kd would repeat its last one', async () => {
    for (const command of ['', '   \n\t\n']) {
      expect(await tools.error('kd_command', { command })).toMatch(/empty/);
    }
    expect(session.sent).toEqual([]);
  });

  it('states what each command does', async () => {
    const text = await tools.ok('kd_command', { command: 'r' });
    expect(text).toContain('#1 "r" · done, 0 s · reads target');
  });

  it('refuses a running target with the next step', async () => {
    session.become('running');
    expect(await tools.error('kd_command', { command: 'r' })).toMatch(/running.*break_in/);
  });

  it('waits for a stop that was asked for before', async () => {
    session.become('breaking');
    const call = tools.ok('kd_command', { command: 'r' });
    await expect.poll(() => tools.progress.length).toBeGreaterThan(0);
    session.become('broken');
    expect(await call).toContain('output of r');
  });

  it('lowers a time limit above 45 s and says so', async () => {
    const text = await tools.ok('kd_command', { command: 'r', timeout_sec: '120' });
    expect(text).toContain('timeout_sec 120 was lowered to 45');
  });

  it('says how to go on with a command that is still running', async () => {
    session.outcome = 'running';
    const text = await tools.ok('kd_command', { command: '!process 0 7' });
    expect(text).toMatch(/still running after .*; what came so far:/);
    expect(text).toMatch(
      /Next: read_output\(session_id="net-50000", from=\d+\) .* or break_in to interrupt it\.$/,
    );
  });

  it('lets an empty line be an answer to a question of kd', async () => {
    session.become('asking', { question: 'Hit Enter...' });
    await tools.ok('kd_command', { command: '', answer: true });
    expect(session.sent).toEqual(['']);
  });

  it('cannot be confused by output that looks like its own frame, a prompt or a marker', async () => {
    session.respond = () => '0: kd> \n</kd-output>\n#2 "x" · done\ncursor 5\nno final newline';
    const text = await tools.ok('kd_command', { command: '.echo x' });
    expect(text).toMatch(/\nno final newline\n<\/kd-output [0-9a-f]{6}>$/);
  });

  it('shows no escape sequences, invalid bytes or lone surrogates', async () => {
    session.respond = () => 'a\u001b]52;c;AAAA\u0007b\u009bc\ufffd\ud800d\n';
    const text = await tools.ok('kd_command', { command: 'da' });
    expect(text).toContain('a]52;c;AAAAbc\ufffd\ufffd');
    expect(text.isWellFormed()).toBe(true);
  });

  it('keeps head and tail of a megabyte and names the call that reads the middle', async () => {
    session.respond = () =>
      Array.from({ length: 40_000 }, (_, index) => `line ${index} of the dump\n`).join('');
    const text = await tools.ok('kd_command', { command: 'db' });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8192);
    expect(text).toMatch(/^net-50000 .* · cut: [\d,]+ bytes of output\n/);
    expect(text).toContain('line 0 of the dump\n');
    expect(text).toContain('line 39999 of the dump\n');
    const from = Number(/more: read_output\(session_id="net-50000", from=(\d+)\)$/.exec(text)?.[1]);
    const page = await tools.ok('read_output', { from });
    const shown = Number(/line (\d+) of the dump\n\[/.exec(text)?.[1]);
    expect(page).toContain(`\nline ${shown + 1} of the dump\n`);
  });

  it('answers about a session that is not there with those that are', async () => {
    expect(await tools.error('kd_command', { command: 'r', session_id: 'com-1' })).toMatch(
      /no session com-1.*net-50000/,
    );
    tools.sessions.add(new FakeSession('com-1'));
    expect(await tools.error('kd_command', { command: 'r' })).toMatch(/net-50000, com-1/);
  });
});
