import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseKernelString } from '../../../src/kd/transport.ts';

const KEY = 'aaaa1bbbb2ccc.dddd3eeee4fff.gggg5hhhh6iii.jjjj7kkkk8lll';
const NET = { transport: 'net', port: 50000, key: KEY };

describe('a connection is found in', () => {
  test.each([
    ['a windbg line', `windbg -k net:port=50000,key=${KEY}`],
    ['a quoted argument', `"C:\\Program Files\\kd.exe" -y srv* -k "net:port=50000,key=${KEY}"`],
    ['a slash option', `kd.exe /k net:port=50000,key=${KEY}`],
    ['a bare text', `net:port=50000,key=${KEY}`],
    ['a text in capitals', `NET:Port=50000,Key=${KEY}`],
    ['a sentence', `Use "net:port=50000,key=${KEY}".`],
    ['a fenced line', `\`windbg -k net:port=50000,key=${KEY}\``],
    [
      'a state file',
      JSON.stringify({ schema: 'winrm-kd-session-v1', guest_host: 'g', host_ip: 'h', port: 50000, key: KEY }),
    ],
    [
      'bcdedit output',
      `key                     ${KEY}\r\ndebugtype               NET\r\nhostip                  192.168.0.13\r\nport                    50000\r\ndhcp                    Yes\r\n작업을 완료했습니다.`,
    ],
    ['bcdedit output in another order', `port  50000\ndebugtype NET\nbusparams 0.20.0\nkey ${KEY}`],
    [
      'kdnet.exe output',
      `C:\\>kdnet 169.182.1.1 50000\nEnabling network debugging on Intel(R) 82577LM Gigabit Network Connection.\nKey=${KEY}`,
    ],
    ['port and key on two lines', `port=50000\nkey=${KEY}`],
  ])('%s', (_what, text) => {
    expect(parseKernelString(text)).toMatchObject({ ok: true, connection: NET });
  });

  test('kdnet.exe output that complains of busparams, with a note', () => {
    const text = `Failed to parse the busparams:PCI  1 0 0
Enabling network debugging on Network debugging is supported by this Microsoft Hypervisor Virtual Machine.
To debug this vm, run the following command on your debugger host machine.
windbg -k net:port=50000,key=${KEY}`;
    const found = parseKernelString(text);
    expect(found).toMatchObject({ ok: true, connection: NET });
    if (found.ok) expect(found.notes.join()).toContain('busparams');
  });

  test('bcdedit output of KDNET over USB, whose key has capitals and whose hostip is no mistake', () => {
    const text = `busparams               0.20.0
key                     ABCDEFGH1J2K.LMNOPQ3RST4.UV5WX6YZ7AB.8CDEFG9HJKL
debugtype               NET
hostip                  169.254.255.255
port                    50011
dhcp                    No`;
    const found = parseKernelString(text);
    expect(found).toMatchObject({
      ok: true,
      connection: { transport: 'net', port: 50011, key: 'ABCDEFGH1J2K.LMNOPQ3RST4.UV5WX6YZ7AB.8CDEFG9HJKL' },
    });
    if (found.ok) expect(found.notes.join()).toContain('KDNET over USB');
  });

  test.each([
    ['com:port=COM1,baud=115200', { transport: 'com', port: 'COM1', baud: 115200 }],
    [
      'windbg -k com:pipe,port=\\\\.\\pipe\\com_1,resets=0,reconnect',
      { transport: 'pipe', pipe: '\\\\.\\pipe\\com_1', resets: 0, reconnect: true },
    ],
    [
      'kd -k "com:pipe,port=\\\\.\\pipe\\my vm,reconnect"',
      { transport: 'pipe', pipe: '\\\\.\\pipe\\my vm', reconnect: true },
    ],
    ['com:ipport=4555,port=10.0.0.5', { transport: 'tcp', host: '10.0.0.5', port: 4555 }],
    ['usb:targetname=Lab', { transport: 'usb', targetName: 'Lab' }],
    ['debugtype USB\ntargetname Lab', { transport: 'usb', targetName: 'Lab' }],
    ['kd -kl', { transport: 'local' }],
    ['kd -z "C:\\my dumps\\a.dmp"', { transport: 'dump', files: ['C:\\my dumps\\a.dmp'] }],
    ['kd -remote npipe:server=LAB,pipe=dbg', { transport: 'remote', remote: 'npipe:server=LAB,pipe=dbg' }],
    ['exdi:CLSID={1},Kd=Guess', { transport: 'raw', k: 'exdi:CLSID={1},Kd=Guess' }],
  ])('%s', (text, connection) => {
    expect(parseKernelString(text)).toMatchObject({ ok: true, connection });
  });
});

describe('a text is refused, with the next step', () => {
  test.each([
    ['', 'No connection in this text'],
    ['hello', 'No connection in this text'],
    [`Key=${KEY}`, 'a key and no port'],
    ['debugtype NET\nport 50000', 'no key'],
    [
      'key                     ????\ndebugtype               NET\nport                    50037',
      'key has 1 part',
    ],
    ['debugtype Serial\ndebugport 1\nbaudrate 115200', "this machine's port"],
    ['debugtype 1394\nchannel 1', 'bcdedit /dbgsettings net'],
    ['windbg -k net:port=50000', 'key is missing'],
    [`net:key=${KEY}`, 'port is missing'],
    ['{"schema": "winrm', 'not complete JSON'],
    ['{"schema": "other"}', 'unknown schema "other"'],
  ])('%j', (text, expected) => {
    const found = parseKernelString(text);
    expect(found.ok).toBe(false);
    if (!found.ok) expect(found.error).toContain(expected);
  });

  test('and never with a key in the message', () => {
    const wrong = fc.constantFrom(
      (key: string) => `net:port=80,key=${key}`,
      (key: string) => `net:port=50000,key=${key}.5`,
      (key: string) => `Key=${key}`,
      (key: string) => `debugtype Serial\nkey ${key}`,
      (key: string) => JSON.stringify({ schema: 'winrm-kd-session-v1', key }),
      (key: string) => `-k foo:key=${key}`,
    );
    fc.assert(
      fc.property(wrong, (make) => {
        expect(JSON.stringify({ ...parseKernelString(make(KEY)), connection: 0 })).not.toContain(KEY);
      }),
    );
  });

  test('whatever it is', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parseKernelString(text)));
  });
});
