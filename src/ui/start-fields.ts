/** What "Start…" asks for each transport, and the connection that the answers make. No VS Code in here. */
import type { Connection, Transport } from '../kd/connection.ts';
import type { Translate } from './l10n.ts';

export interface Field {
  /** Name of the answer. */
  readonly name: string;
  /** The same field in what `validateConnection` says. */
  readonly checkedAs: string;
  readonly prompt: (t: Translate) => string;
  readonly usual?: string;
  readonly optional?: boolean;
  readonly secret?: boolean;
}

const field = (name: string, prompt: Field['prompt'], rest: Partial<Field> = {}): Field => ({
  name,
  checkedAs: name,
  prompt,
  ...rest,
});

export const FIELDS: Readonly<Record<Transport, readonly Field[]>> = {
  net: [
    field('port', (t) => t('UDP port, the same as in the guest'), { usual: '50000' }),
    field('key', (t) => t('KDNET key: w.x.y.z'), { secret: true }),
  ],
  com: [
    field('port', (t) => t('Port of this computer'), { usual: 'COM1' }),
    field('baud', (t) => t('Baud rate, the same on both sides'), { usual: '115200', optional: true }),
  ],
  pipe: [
    field('pipe', (t) => t('Pipe of the serial port of the virtual machine'), {
      usual: '\\\\.\\pipe\\com_1',
    }),
  ],
  tcp: [
    field('host', (t) => t('Address of the machine that offers the serial port')),
    field('port', (t) => t('TCP port')),
  ],
  usb: [field('targetName', (t) => t('targetname given to bcdedit /dbgsettings usb'))],
  local: [],
  dump: [field('files', (t) => t('Path of the dump'), { usual: 'C:\\Windows\\MEMORY.DMP' })],
  remote: [field('remote', (t) => t('Text behind -remote: npipe:server=…,pipe=…'))],
  raw: [field('k', (t) => t('Text behind -k'))],
  simulator: [],
};

/** Numbers that are none become NaN: `validateConnection` says what is wrong with them. */
export function connectionFrom(transport: Transport, answers: Readonly<Record<string, string>>): Connection {
  const text = (name: string) => answers[name]?.trim() ?? '';
  const number = (name: string) => (/^\d+$/.test(text(name)) ? Number(text(name)) : Number.NaN);
  switch (transport) {
    case 'net':
      return { transport, port: number('port'), key: text('key') };
    case 'com':
      return { transport, port: text('port'), ...(text('baud') === '' ? {} : { baud: number('baud') }) };
    case 'pipe':
      return { transport, pipe: text('pipe'), reconnect: true, resets: 0 };
    case 'tcp':
      return { transport, host: text('host'), port: number('port') };
    case 'usb':
      return { transport, targetName: text('targetName') };
    case 'local':
      return { transport };
    case 'dump':
      return { transport, files: text('files') === '' ? [] : [text('files')] };
    case 'remote':
      return { transport, remote: text('remote') };
    case 'raw':
      return { transport, k: text('k') };
    case 'simulator':
      return { transport, scenario: 'idle' };
  }
}
