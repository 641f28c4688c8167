/** Connections that cannot work: what the user is told. */
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { STATE_SCHEMA } from '../../src/state-file/schema.ts';
import { freePort, userDump } from './engine.ts';
import { KEY, startGuest } from './guest.ts';
import { startKd } from './kd.ts';
import { startProduct } from './product.ts';

const OTHER_KEY = '1.2.3.4';

describe('a key', () => {
  test('that is not the guest’s is named as the likely reason', async () => {
    const guest = await startGuest({ key: OTHER_KEY });
    const product = await startProduct({ port: guest.port, key: KEY });
    const { text } = await product.call('start_from_state', { wait_sec: 10 });
    expect(text).toMatch(/key/i);
    expect(text).toMatch(/another key|wrong key|does not match|keys? differ|not the (guest|target)’?'?s/i);
    expect(await guest.state()).toBe('running');
  });

  test('that is missing from the state file is missed before kd starts', async () => {
    const port = await freePort();
    const product = await startProduct({ port, key: KEY });
    writeFileSync(product.stateFile, JSON.stringify({ schema: STATE_SCHEMA, guest_host: '127.0.0.1', port }));
    const { text, isError } = await product.call('start_from_state');
    expect(isError).toBe(true);
    expect(text).toMatch(/key/);
    expect(await product.sessions.list()).toEqual([]);
  });

  test.each(['1.2.3', '1.2.3.$', '1..3.4'])(
    'that is malformed (%s) is refused before kd takes it in silence',
    async (key) => {
      const port = await freePort();
      const product = await startProduct({ port, key });
      const { text, isError } = await product.call('start_from_state');
      expect(isError).toBe(true);
      expect(text).toMatch(/key/);
      expect(await product.sessions.list()).toEqual([]);
      const kd = startKd(['-k', `net:port=${port},key=${key}`]);
      await kd.shows(/Waiting to reconnect\.\.\.\r\n/);
      expect(kd.text()).not.toMatch(/invalid|error|illegal/i);
    },
  );
});

test('a port that another debugger holds is told in kd’s own words, and leaves no session', async () => {
  const guest = await startGuest();
  const holder = startKd(['-k', `net:port=${guest.port},key=${guest.key}`]);
  await holder.shows(/Waiting to reconnect\.\.\.\r\n/);
  const product = await startProduct(guest);
  const { text, isError } = await product.call('start_from_state');
  expect(isError).toBe(true);
  expect(text).toContain(`Port ${guest.port} already in use by another process`);
  expect(text).toContain('0x80004005');
  expect(await product.sessions.list()).toEqual([]);
});

test('a dump is opened, inspected and left', async () => {
  const product = await startProduct({ port: await freePort(), key: KEY });
  const { ok, call } = product;
  expect(await ok('start_kd', { dump_file: userDump() })).toMatch(/ · broken \(.*0:000>/s);
  expect(await ok('kd_command', { command: 'lm\n||' })).toMatch(/kernel32[\s\S]*User mini dump/);
  const { text, isError } = await call('continue_go');
  expect(isError).toBe(true);
  expect(text).toContain('a memory dump does not run');
  expect(await ok('stop_kd')).toMatch(/ended/);
});
