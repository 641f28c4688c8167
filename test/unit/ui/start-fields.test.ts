import { describe, expect, test } from 'vitest';
import type { Transport } from '../../../src/kd/connection.ts';
import { validateConnection } from '../../../src/kd/validate.ts';
import { connectionFrom, FIELDS } from '../../../src/ui/start-fields.ts';

const good: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  net: { port: '50000', key: '1.2.3.4' },
  com: { port: 'COM1', baud: '115200' },
  pipe: { pipe: '\\\\.\\pipe\\com_1' },
  tcp: { host: '10.0.0.1', port: '5000' },
  usb: { targetName: 'guest' },
  dump: { files: 'C:\\MEMORY.DMP' },
  remote: { remote: 'npipe:server=host,pipe=dbg' },
  raw: { k: 'net:port=50000,key=1.2.3.4' },
};

describe('what "Start…" asks for', () => {
  test.each(Object.keys(FIELDS) as Transport[])(
    'makes a connection over %s that kd may have',
    (transport) => {
      const connection = connectionFrom(transport, good[transport] ?? {});
      expect(validateConnection(connection).filter((each) => each.severity === 'error')).toEqual([]);
      expect(Object.keys(good[transport] ?? {})).toEqual(FIELDS[transport].map((each) => each.name));
    },
  );

  test.each(
    (Object.keys(FIELDS) as Transport[]).flatMap((transport) =>
      FIELDS[transport].filter((each) => !each.optional).map((each) => [transport, each.checkedAs] as const),
    ),
  )('over %s: an empty %s is refused at its own step', (transport, name) => {
    const connection = connectionFrom(transport, { ...good[transport], [name]: '' });
    expect(validateConnection(connection).map((each) => each.field)).toContain(name);
  });

  test.each([
    ['net', 'port', '5000x'],
    ['net', 'key', 'not-a-key'],
    ['com', 'baud', 'fast'],
  ] as const)('over %s: a wrong %s is refused', (transport, name, value) => {
    const connection = connectionFrom(transport, { ...good[transport], [name]: value });
    expect(validateConnection(connection).map((each) => each.field)).toContain(name);
  });
});
