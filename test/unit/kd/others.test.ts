import { describe, expect, test } from 'vitest';
import { eventOf } from '../../../src/kd/events.ts';
import { clientExit, endOf, Others, OWNER } from '../../../src/kd/others.ts';

const PIPE = 'kd-mcp-0123456789abcdef';
const USER = `LAB\\minsu (npipe ${PIPE})`;

function others(server = `npipe:pipe=${PIPE},password=x`): Others {
  const known = new Others();
  known.expect(server);
  return known;
}

describe('a line of another user', () => {
  test.each([
    [`[${USER}] 0: kd> r rip`, { user: USER, command: 'r rip' }],
    [`0: kd> [${USER}] 0: kd> .echo a] b`, { user: USER, command: '.echo a] b' }],
    [`[${USER}] ||0:0: kd> g`, { user: USER, command: 'g' }],
    ['[OTHER\\eve (npipe other)] 0: kd> g', undefined],
    ['[OTHER\\eve] 0: kd> g', undefined],
    ['[BOX\\user (tcp [::1]:5005)] 0:000> du @rsp L20', undefined],
    ['[0x10] = 5', undefined],
  ])('%s', (line, command) => expect(others().command(line, false)).toEqual(command));

  test('counts for TCP by the protocol, since an address stands in the name', () => {
    const line = '[BOX\\user (tcp [::1]:5005)] 0:000> du @rsp L20';
    expect(others('tcp:port=5005,password=x').command(line, false)).toEqual({
      user: 'BOX\\user (tcp [::1]:5005)',
      command: 'du @rsp L20',
    });
  });

  test('is the owner’s where kd is a client at its prompt and the line has a prompt of its own', () => {
    expect(others().command('0: kd> g', true)).toEqual({ user: OWNER, command: 'g' });
    expect(others().command('0: kd> g', false)).toBeUndefined();
    expect(others().command('rip=0', true)).toBeUndefined();
  });

  test('stands alone in what is shown, and the rest of the text is not changed', () => {
    const text = `one\n[${USER}] 0: kd> r\nrax=1\nunfinished [`;
    const parts = others().split(text, false);
    expect(parts.map((part) => part.text).join('')).toBe(text);
    expect(parts.map((part) => part.command?.command)).toEqual([undefined, 'r', undefined]);
    expect(new Others().split(text, false)).toEqual([{ text }]);
  });

  test('tells who connected', () => {
    const line = `${USER} connected at Thu Oct  8 22:16:45 2026`;
    expect(eventOf(line)).toEqual({ kind: 'user-connected', user: USER });
    expect(eventOf('the cable (red) connected at noon')).toBeUndefined();
  });
});

describe('an end that others cause', () => {
  test.each([
    ['qqd', false, 'running'],
    ['qq', false, 'halted'],
    ['q', true, 'unknown'],
    ['qd', true, 'unknown'],
  ])('%s (here a client: %s) leaves the target %s', (command, client, target) =>
    expect(endOf({ user: USER, command }, client)?.target).toBe(target),
  );

  test('is none for what kd refuses to clients, and for other commands', () => {
    expect(endOf({ user: USER, command: 'q' }, false)).toBeUndefined();
    expect(endOf({ user: USER, command: 'qd' }, false)).toBeUndefined();
    expect(endOf({ user: USER, command: '.echo q' }, true)).toBeUndefined();
  });
});

test.each([
  ['HRESULT 0x80010007', 7, /the password is wrong/],
  ['Error 0x80004005', null, /the password is wrong/],
  ['HRESULT 0x80070002', 2, /no debugger listens there/],
  ['', 0x800706ba, /no debugger listens there/],
  ['', -2147024894, /no debugger listens there/],
  ['something else', 1, /could not join the debugger \(exit code 1\)/],
])('a client that ends before it has joined says why: %s, exit code %s', (words, code, reason) =>
  expect(clientExit(false, code, words)).toMatch(reason),
);
