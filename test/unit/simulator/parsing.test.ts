import fc from 'fast-check';
import { expect, test } from 'vitest';
import { codecOf } from '../../../src/simulator/console/codec.ts';
import { connectionOf, parseOptions } from '../../../src/simulator/console/options.ts';
import { SCENARIOS } from '../../../src/simulator/console/scenarios.ts';
import { blockEnd, commandWord, statementEnd } from '../../../src/simulator/console/statements.ts';
import { kdTime, tick } from '../../../src/simulator/console/texts.ts';
import { unescapeText } from '../../../src/simulator/happenings.ts';

test('a semicolon separates outside of quotes and braces', () => {
  expect(statementEnd('.echo a;.echo b', 0)).toBe(7);
  expect(statementEnd('.echo "a;b";x', 0)).toBe(11);
  expect(statementEnd('bp x "k;g";y', 0)).toBe(10);
  expect(statementEnd('.block { a;b };c', 0)).toBe(14);
});

test('a conditional ends behind its last block', () => {
  expect(blockEnd('.if (1) { a } .else { b } ; c', 0)).toBe(25);
  expect(blockEnd('.for (a;b;c) { d };e', 0)).toBe(18);
  expect(blockEnd('.if (1) { open', 0)).toBe(14);
});

test('the word of a command ends where its name ends', () => {
  expect(
    ['.echo x', '!process 0', 'dq@rsp', '~1s', '?1+1', 'lmvm nt', '$$ x', '||', 'r$t0=1'].map(commandWord),
  ).toEqual(['.echo', '!process', 'dq', '~', '?', 'lmvm', '$$', '||', 'r']);
});

test('connection texts name their transport', () => {
  expect(connectionOf('net:port=50000,key=1.2.3.4')).toEqual({ kind: 'net', port: 50000, key: '1.2.3.4' });
  expect(connectionOf('net:port=50000,key=1.2.3.4,target=10.0.0.5')).toMatchObject({ target: '10.0.0.5' });
  expect(connectionOf('com:port=com3,baud=115200')).toMatchObject({
    kind: 'serial',
    device: '\\\\.\\com3',
    form: 'com',
  });
  expect(connectionOf('com:pipe,port=\\\\.\\pipe\\vm,resets=0,reconnect')).toMatchObject({
    form: 'pipe',
    reconnect: true,
  });
  expect(connectionOf('com:ipport=7777,port=10.0.0.9')).toEqual({
    kind: 'tcp',
    host: '10.0.0.9',
    port: 7777,
  });
  expect(connectionOf('usb:targetname=lab')).toEqual({ kind: 'usb', name: 'lab' });
  expect(connectionOf('foo:bar').kind).toBe('bad');
});

test('kd options and simulator options live side by side', () => {
  const { kd, simulator } = parseOptions([
    '-bonc',
    '-k',
    'net:port=1,key=a',
    '-y',
    'srv*',
    '--scenario',
    'noise',
    '--winrm=127.0.0.1:5985',
    '-c',
    '.echo x',
    '--chunk',
  ]);
  expect(kd).toMatchObject({ breakOnConnect: true, symbolPath: 'srv*', initialCommand: '.echo x' });
  expect(kd.commandLine).toBe('kd.exe -bonc -k net:port=1,key=a -y srv* -c ".echo x"');
  expect(simulator).toMatchObject({
    scenario: 'noise',
    chunk: true,
    winrm: { host: '127.0.0.1', port: 5985 },
  });
});

test('no target on the command line is the serial port com1, as kd takes it', () => {
  expect(parseOptions([]).kd.target).toMatchObject({ kind: 'serial', device: '\\\\.\\com1' });
});

test('a single-byte code page passes bytes through and shows mojibake in a log', () => {
  const codec = codecOf(1252);
  expect(codec.encode('한글\r\n').toString('utf8')).toBe('한글\r\n');
  expect(codec.logged('한글')).toBe('í•œê¸€');
});

test('a multibyte code page loses as many bytes of a line as it has more bytes than characters', () => {
  for (const page of [932, 936, 949, 950, 65001]) {
    const codec = codecOf(page);
    fc.assert(
      fc.property(fc.stringMatching(/^[ -~]*$/), (ascii) => {
        expect(codec.encode(`${ascii}\r\n`).toString('latin1')).toBe(`${ascii}\r\n`);
      }),
    );
  }
  expect(codecOf(949).encode('a한글b\r\nnext\r\n').toString('latin1')).toBe('a\xc7\xd1\xb1\xdbbnext\r\n');
  expect(codecOf(949).encode('한글한글\r\n')).toHaveLength(6);
});

test('control texts know their escapes', () => {
  expect(unescapeText('a\\n\\e[1m\\x41\\u00e9\\\\n')).toBe('a\n\x1b[1mAé\\n');
});

test('scenario names are unique and described', () => {
  expect(new Set(SCENARIOS.map((s) => s.name)).size).toBe(SCENARIOS.length);
  expect(SCENARIOS.every((s) => s.description.length > 10)).toBe(true);
});

test('numbers and times look as kd prints them', () => {
  expect(tick(0xfffff80312410010n)).toBe('fffff803`12410010');
  expect(kdTime(new Date(2026, 10, 3, 4, 5, 6, 7))).toMatch(
    /^Tue Nov {2}3 04:05:06\.007 2026 \(UTC [+-] \d+:\d\d\)$/,
  );
});
