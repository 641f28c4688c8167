import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Connection } from '../../../src/kd/connection.ts';
import { connectionOfKernelString } from '../../../src/kd/kernel-string.ts';
import {
  kdArguments,
  lintSymbolPath,
  normalizeSessionId,
  redactedConnection,
  sameTarget,
  secretsIn,
  sessionId,
  sessionIdCandidate,
  sessionTitle,
  validateConnection,
} from '../../../src/kd/transport.ts';

const KEY = '2steg4fzbj2sz.23418vzkd4ko3.1g34ou07z4pev.1sp3yo9yz874p';
const net: Connection = { transport: 'net', port: 50000, key: KEY };
const PASSWORD = 'hunter2pass';

/** One valid connection of each transport, with what kd gets for it. */
const SAMPLES: readonly { connection: Connection; args: readonly string[]; id: string; title: string }[] = [
  { connection: net, args: ['-k', `net:port=50000,key=${KEY}`], id: 'net-50000', title: 'KDNET port 50000' },
  {
    connection: { ...net, target: 'win10-vm' },
    args: ['-k', `net:port=50000,key=${KEY},target=win10-vm`],
    id: 'net-50000',
    title: 'KDNET port 50000, target win10-vm',
  },
  {
    connection: { transport: 'com', port: 'COM1', baud: 115200 },
    args: ['-k', 'com:port=COM1,baud=115200'],
    id: 'com-1',
    title: 'Serial COM1, 115200 baud',
  },
  {
    connection: { transport: 'com', port: '\\\\.\\com3' },
    args: ['-k', 'com:port=\\\\.\\com3'],
    id: 'com-3',
    title: 'Serial COM3',
  },
  {
    connection: { transport: 'pipe', pipe: '\\\\.\\pipe\\com_1', resets: 0, reconnect: true },
    args: ['-k', 'com:pipe,port=\\\\.\\pipe\\com_1,resets=0,reconnect'],
    id: 'pipe-com_1',
    title: 'Serial pipe \\\\.\\pipe\\com_1',
  },
  {
    connection: { transport: 'tcp', host: '10.0.0.5', port: 4555 },
    args: ['-k', 'com:ipport=4555,port=10.0.0.5'],
    id: 'tcp-10-0-0-5-4555',
    title: 'Serial over TCP 10.0.0.5:4555',
  },
  {
    connection: { transport: 'usb', targetName: 'Lab' },
    args: ['-k', 'usb:targetname=Lab'],
    id: 'usb-lab',
    title: 'USB Lab',
  },
  { connection: { transport: 'local' }, args: ['-kl'], id: 'local', title: 'Local kernel' },
  {
    connection: { transport: 'dump', files: ['C:\\Windows\\MEMORY.DMP'] },
    args: ['-z', 'C:\\Windows\\MEMORY.DMP'],
    id: 'dump-memory',
    title: 'Dump MEMORY.DMP',
  },
  {
    connection: { transport: 'dump', files: ['C:\\d\\one.dmp', 'C:\\d\\two.dmp'] },
    args: ['-z', 'C:\\d\\one.dmp', '-z', 'C:\\d\\two.dmp'],
    id: 'dump-one',
    title: 'Dump one.dmp, two.dmp',
  },
  {
    connection: { transport: 'remote', remote: `npipe:server=LAB,pipe=dbg,password=${PASSWORD}` },
    args: ['-remote', `npipe:server=LAB,pipe=dbg,password=${PASSWORD}`],
    id: 'remote-lab-dbg',
    title: 'Remote debugger npipe:server=LAB,pipe=dbg,password=…',
  },
  {
    connection: {
      transport: 'raw',
      k: `kdsrv:server=@{tcp:server=LAB,password=${PASSWORD}},trans=@{net:port=50000,key=${KEY}}`,
    },
    args: ['-k', `kdsrv:server=@{tcp:server=LAB,password=${PASSWORD}},trans=@{net:port=50000,key=${KEY}}`],
    id: 'raw-kdsrv',
    title: 'kd -k kdsrv:server=@{tcp:server=LAB,password=…},trans=@{net:port=50000,key=…}',
  },
  {
    connection: { transport: 'raw', k: `net:port=50002,key=${KEY}` },
    args: ['-k', `net:port=50002,key=${KEY}`],
    id: 'net-50002',
    title: 'KDNET port 50002',
  },
  {
    connection: { transport: 'simulator', scenario: 'idle' },
    args: ['--scenario', 'idle', '-k', 'net:key=1.2.3.4'],
    id: 'sim-1',
    title: 'Simulator: idle',
  },
];

describe.each(SAMPLES)('$connection.transport: $title', ({ connection, args, id, title }) => {
  test('is valid', () => expect(validateConnection(connection)).toEqual([]));

  test('becomes these arguments, with -noshell and without -bonc', () => {
    const made = kdArguments(connection, { symbolPath: 'srv*C:\\s*https://h' }).args;
    const common = ['-noshell', '-y', 'srv*C:\\s*https://h'];
    // -remote must be kd's first option.
    expect(made).toEqual(connection.transport === 'remote' ? [...args, ...common] : [...common, ...args]);
  });

  test('has an id and a title', () => {
    expect(sessionId(connection)).toBe(id);
    expect(sessionTitle(connection)).toBe(title);
  });

  test('keeps its secrets to its arguments', () => {
    const { secrets } = kdArguments(connection);
    const visible = JSON.stringify([
      sessionId(connection),
      sessionTitle(connection),
      redactedConnection(connection),
    ]);
    for (const secret of [KEY, PASSWORD]) {
      expect(visible).not.toContain(secret);
      if (JSON.stringify(connection).includes(secret)) expect(secrets).toContain(secret);
    }
  });

  test('is itself, also as its record keeps it, unless it is a simulator', () => {
    const kept = redactedConnection(connection) as unknown as Connection;
    expect(sameTarget(connection, kept)).toBe(connection.transport !== 'simulator');
  });
});

describe('a KDNET key', () => {
  const problems = (key: string) => validateConnection({ ...net, key }).map((problem) => problem.message);

  test.each([
    '1.2.3.4',
    'p.a.s.s',
    'ABCDEFGH1J2K.LMNOPQ3RST4.UV5WX6YZ7AB.8CDEFG9HJKL',
    '3w5e11264sgsf.0.0.0',
  ])('like %s is accepted', (key) => {
    expect(problems(key)).toEqual([]);
    expect(kdArguments({ ...net, key }).args).toContain(`net:port=50000,key=${key}`);
  });

  test.each([
    ['', 'is missing'],
    ['1.2.3', 'has 3 parts'],
    ['secret', 'has 1 part;'],
    ['1.2..4', 'nothing in part 3'],
    ['1.2.3.$x', 'character in part 4'],
    ['1.2.3.4 ', 'blanks around'],
    ['1.2.3.00000000000001', 'more than 13 characters in part 4'],
    ['????', 'has 1 part;'],
  ])('%j is refused: %s', (key, expected) => {
    const [message] = problems(key);
    expect(message).toMatch(/^key /);
    expect(message).toContain(expected);
    expect(message).toContain('bcdedit /dbgsettings');
  });

  test('is never in the message that refuses it', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 6 }).map((tail) => `zq${tail}`),
        (key) => {
          for (const message of problems(key)) expect(message).not.toContain(key);
        },
      ),
    );
  });

  test('with a part over 64 bits, as people invent them, may still work', () => {
    const problems = validateConnection({ ...net, key: '1.3w5e11264sgsg.3.4' });
    expect(problems).toMatchObject([{ field: 'key', severity: 'warning' }]);
    expect(problems[0]?.message).toContain('more than 64 bits in part 2');
  });

  test('is accepted without a word exactly when each part fits into 64 bits', () => {
    fc.assert(
      fc.property(
        fc.array(fc.bigInt({ min: 0n, max: 2n ** 65n }), { minLength: 4, maxLength: 4 }),
        (parts) => {
          const fits = parts.every((part) => part < 2n ** 64n);
          expect(problems(parts.map((part) => part.toString(36)).join('.')).length === 0).toBe(fits);
        },
      ),
    );
  });
});

describe('what kd would take without a word is named', () => {
  test.each<[Connection, string, 'error' | 'warning']>([
    [{ ...net, port: 80 }, 'port', 'error'],
    [{ ...net, port: 70000 }, 'port', 'error'],
    [{ ...net, port: Number.NaN }, 'port', 'error'],
    [{ ...net, port: 5000 }, 'port', 'warning'],
    [{ ...net, target: 'a,key=1.1.1.1' }, 'target', 'error'],
    [{ ...net, target: '' }, 'target', 'error'],
    [{ transport: 'com', port: 'foo:bar' }, 'port', 'error'],
    [{ transport: 'com', port: 'COM1', baud: 1200 }, 'baud', 'warning'],
    [{ transport: 'pipe', pipe: 'com_1' }, 'pipe', 'error'],
    [{ transport: 'pipe', pipe: '\\\\.\\pipe\\시리얼' }, 'pipe', 'warning'],
    [{ transport: 'tcp', host: ' ', port: 1 }, 'host', 'error'],
    [{ transport: 'tcp', host: 'h', port: 0 }, 'port', 'error'],
    [{ transport: 'usb', targetName: '' }, 'targetName', 'error'],
    [{ transport: 'dump', files: [] }, 'files', 'error'],
    [{ transport: 'dump', files: ['C:\\Users\\김철수\\a.dmp'] }, 'files', 'warning'],
    [{ transport: 'remote', remote: 'LAB' }, 'remote', 'error'],
    [{ transport: 'raw', k: 'net' }, 'k', 'error'],
    [{ transport: 'raw', k: 'net:port=50000' }, 'key', 'error'],
    [{ transport: 'raw', k: 'net:key=1.2.3.4' }, 'port', 'error'],
    [{ transport: 'raw', k: 'net:port=50000,key=1.2.3,x=1' }, 'key', 'error'],
  ])('%j', (connection, field, severity) => {
    const problems = validateConnection(connection);
    expect(problems).toMatchObject([{ field, severity }]);
    expect(problems[0]?.message).not.toContain('1.1.1.1');
  });

  test('a dump by relative path may have any name', () => {
    expect(validateConnection({ transport: 'dump', files: ['메모리.dmp'] })).toEqual([]);
  });
});

describe('ids', () => {
  test('are safe file names on every system, whatever the connection is called', () => {
    const named: fc.Arbitrary<Connection> = fc.oneof(
      fc.string({ unit: 'binary' }).map((name): Connection => ({ transport: 'usb', targetName: name })),
      fc
        .string({ unit: 'binary' })
        .map((name): Connection => ({ transport: 'pipe', pipe: `\\\\.\\pipe\\${name}` })),
      fc.string({ unit: 'binary' }).map((name): Connection => ({ transport: 'dump', files: [name] })),
      fc.string({ unit: 'binary' }).map((k): Connection => ({ transport: 'raw', k })),
      fc.nat(300).map((port): Connection => ({ transport: 'com', port: `COM${port}` })),
    );
    fc.assert(
      fc.property(named, (connection) => {
        const id = sessionId(connection);
        expect(id).toMatch(/^[a-z0-9][a-z0-9_-]*$/);
        expect(id.length).toBeLessThanOrEqual(60);
        expect(id).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)$/);
      }),
    );
  });

  test('count up when they are taken', () => {
    expect([1, 2, 3].map((n) => sessionIdCandidate(net, n))).toEqual([
      'net-50000',
      'net-50000-2',
      'net-50000-3',
    ]);
    expect([1, 2].map((n) => sessionIdCandidate({ transport: 'simulator', scenario: 'x' }, n))).toEqual([
      'sim-1',
      'sim-2',
    ]);
  });

  test('are found as people type them', () => {
    expect(normalizeSessionId(' COM1 ')).toBe('com-1');
    expect(normalizeSessionId('com-1')).toBe('com-1');
    expect(normalizeSessionId('net-50000')).toBe('net-50000');
  });
});

describe('two sessions', () => {
  test('may not share a port, a pipe, a serial port or a debugger', () => {
    expect(sameTarget(net, { ...net, key: '1.2.3.4', target: 'x' })).toBe(true);
    expect(sameTarget(net, { transport: 'raw', k: 'NET:port=50000,key=1.2.3.4,foo=1' })).toBe(true);
    expect(sameTarget({ transport: 'com', port: 'COM1' }, { transport: 'com', port: '\\\\.\\com1' })).toBe(
      true,
    );
    expect(
      sameTarget(
        { transport: 'pipe', pipe: '\\\\.\\pipe\\A' },
        { transport: 'pipe', pipe: '\\\\.\\PIPE\\a' },
      ),
    ).toBe(true);
  });

  test('may differ in any of these', () => {
    expect(sameTarget(net, { ...net, port: 50001 })).toBe(false);
    expect(sameTarget(net, { transport: 'com', port: 'COM1' })).toBe(false);
  });
});

test('secrets are found inside any text behind -k', () => {
  expect(
    secretsIn(`kdsrv:server=@{npipe:server=H,pipe=p,Password=ab1},trans=@{NET:Port=50000,Key=${KEY},Target}`),
  ).toEqual(['ab1', KEY]);
  expect(secretsIn('com:port=COM1')).toEqual([]);
});

test('what kd gets reads back as the same connection', () => {
  for (const { connection } of SAMPLES) {
    const { args } = kdArguments(connection);
    const k = args[args.indexOf('-k') + 1];
    if (['raw', 'simulator'].includes(connection.transport) || !args.includes('-k') || k === undefined)
      continue;
    expect(connectionOfKernelString(k)).toEqual(connection);
  }
});

describe('a symbol path', () => {
  test.each([
    ['srv*C:/sym*https://h/x', 'srv*C:\\sym*https://h/x', 'backslashes'],
    ['SRV* E:\\sym*https://h/x', 'SRV*E:\\sym*https://h/x', 'blank'],
    ['C:\\sym*https://h/x', 'srv*C:\\sym*https://h/x', 'srv*'],
    ['cache*;\\\\share\\s', 'cache*;\\\\share\\s', 'another machine'],
    ['srv*;SRV*C:\\s*http://h/x', 'srv*;SRV*C:\\s*https://h/x', 'not encrypted'],
    [
      'https://msdl.microsoft.com/download/symbols',
      'srv*https://msdl.microsoft.com/download/symbols',
      'not a valid store',
    ],
    [
      'srv*C:\\s*msdl.microsoft.com/download/symbols',
      'srv*C:\\s*https://msdl.microsoft.com/download/symbols',
      'https://',
    ],
    ['"srv*C:\\s*https://h"', 'srv*C:\\s*https://h', 'Quotes'],
    ['C:\\a ; C:\\b', 'C:\\a;C:\\b', 'blank'],
    ['srv*C:\\김*https://h', 'srv*C:\\김*https://h', 'ASCII'],
  ])('%s is offered as %s', (path, corrected, said) => {
    const lint = lintSymbolPath(path);
    expect(lint.corrected).toBe(corrected);
    expect(lint.warnings.join(' ')).toContain(said);
  });

  test.each([
    'srv*',
    'srv*C:\\symbols*https://msdl.microsoft.com/download/symbols',
    'cache*C:\\c;srv*https://h/x',
    'C:\\my symbols;D:\\b',
    'SRV**https://h',
    '',
  ])('%s is fine', (path) => {
    expect(lintSymbolPath(path)).toEqual({ warnings: [], corrected: path });
  });

  test('that was corrected needs no second correction', () => {
    const path = fc.string({
      unit: fc.constantFrom(
        'srv',
        '*',
        ';',
        'C:/s',
        ' ',
        'https://h/x',
        'http://h',
        '"',
        'cache',
        '\\\\a\\b',
      ),
    });
    fc.assert(
      fc.property(path, (text) => {
        const { corrected } = lintSymbolPath(text);
        expect(lintSymbolPath(corrected).corrected).toBe(corrected);
      }),
    );
  });
});

describe('a control character or a quote', () => {
  const foreign = fc.constantFrom('\0', '\n', '\r', '\u0006', '\u001b', '"', '\u007f');
  const texts: readonly (readonly [string, (text: string) => Connection])[] = [
    ['target', (text) => ({ ...net, target: `win${text}vm` })],
    ['key', (text) => ({ ...net, key: `${KEY}${text}` })],
    ['COM port', (text) => ({ transport: 'com', port: `COM1${text}` })],
    ['pipe', (text) => ({ transport: 'pipe', pipe: `\\\\.\\pipe\\com${text}1` })],
    ['host', (text) => ({ transport: 'tcp', host: `h${text}h`, port: 5000 })],
    ['USB name', (text) => ({ transport: 'usb', targetName: `u${text}u` })],
    ['dump file', (text) => ({ transport: 'dump', files: [`a${text}b.dmp`] })],
    ['-k text', (text) => ({ transport: 'raw', k: `com:port=COM1${text},baud=115200` })],
  ];

  test.each(texts)('in a %s never reaches kd', (_what, connection) => {
    fc.assert(
      fc.property(foreign, (text) => {
        const errors = validateConnection(connection(text)).filter(({ severity }) => severity === 'error');
        expect(errors.length).toBeGreaterThan(0);
        expect(JSON.stringify(errors)).not.toContain(KEY);
      }),
    );
  });
});
