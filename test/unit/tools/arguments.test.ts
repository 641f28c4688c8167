import { describe, expect, it } from 'vitest';
import { checkArguments } from '../../../src/tools/arguments.ts';
import type { Tool } from '../../../src/tools/tool.ts';

const tool: Tool = {
  name: 'probe',
  title: 'Probe',
  description: '',
  args: {
    command: { type: 'string', description: '' },
    session_id: { type: 'string', description: '' },
    port: { type: 'integer', description: '', minimum: 1, maximum: 65535 },
    wait_sec: { type: 'number', description: '', minimum: 0 },
    answer: { type: 'boolean', description: '' },
    guest: { type: 'string', description: '', enum: ['resume', 'leave_frozen'] },
  },
  required: ['command'],
  effect: 'act',
  run: async () => '',
};

describe('arguments', () => {
  it('takes numbers, truth values and lists that arrive as strings', () => {
    expect(
      checkArguments(tool, {
        command: 'r',
        port: '50000',
        wait_sec: ' 2.5 ',
        answer: 'True',
        guest: 'RESUME',
      }),
    ).toEqual({
      command: 'r',
      port: 50000,
      wait_sec: 2.5,
      answer: true,
      guest: 'resume',
    });
    expect(checkArguments(tool, { command: ['r', 'k'], answer: 0, wait_sec: ['3'] })).toEqual({
      command: 'r\nk',
      answer: false,
      wait_sec: 3,
    });
    expect(checkArguments(tool, { command: 12 })).toEqual({ command: '12' });
    expect(checkArguments(tool, '{"command":"r"}')).toEqual({ command: 'r' });
  });

  it('takes null for left out', () => {
    expect(checkArguments(tool, { command: 'r', port: null, session_id: undefined })).toEqual({
      command: 'r',
    });
  });

  it('names each wrong type with what was expected and what was found', () => {
    expect(() =>
      checkArguments(tool, { command: {}, port: 'abc', wait_sec: -1, answer: 'maybe', guest: 'kill' }),
    ).toThrow(
      /command: expected a string, found an object; port: expected an integer from 1 to 65535, found a string; wait_sec: expected a number, at least 0, found -1; answer: expected true or false, found a string; guest: expected one of resume \| leave_frozen, found another word/,
    );
    for (const port of [0, 65536, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '', true, [], [1, 2]]) {
      expect(() => checkArguments(tool, { command: 'r', port }), String(port)).toThrow(
        /port: expected an integer/,
      );
    }
  });

  it('never repeats a value it refuses', () => {
    expect(() => checkArguments(tool, { command: 'r', port: 'secretkey.1.2.3' })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('secretkey') }),
    );
  });

  it('names unknown arguments and what was probably meant', () => {
    expect(() => checkArguments(tool, { command: 'r', sessionId: 'net-50000' })).toThrow(
      /unknown argument "sessionId" \(did you mean session_id\?\)/,
    );
    expect(() => checkArguments(tool, { command: 'r', zzzzzzzzz: 1 })).toThrow(
      /unknown argument "zzzzzzzzz"\. Arguments: command/,
    );
    expect(() => checkArguments(tool, { command: 'r', constructor: 1 })).toThrow(
      /unknown argument "constructor"/,
    );
    expect(() => checkArguments(tool, JSON.parse('{"command":"r","__proto__":1}'))).toThrow(
      /unknown argument "__proto__"/,
    );
  });

  it('names what is missing', () => {
    expect(() => checkArguments(tool, {})).toThrow(/command: missing, expected a string/);
    expect(() => checkArguments(tool, undefined)).toThrow(/command: missing/);
  });

  it('refuses what is no object', () => {
    for (const raw of ['r', 5, [], ['r'], true]) {
      expect(() => checkArguments(tool, raw)).toThrow(/arguments: expected an object/);
    }
  });
});
