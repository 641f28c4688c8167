/** Targets that are not a guest on KDNET, from the tool's arguments to the prompt, on the simulator. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defaultConfig } from '../../src/config/load.ts';
import { callTool } from '../../src/tools/call.ts';
import { createRig, type Rig, SIMULATOR } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await createRig();
});
afterEach(() => rig.dispose());

async function tool(name: string, args: Record<string, unknown> = {}): Promise<string> {
  const sessions = rig.sessions(undefined, { findDebugger: async () => [process.execPath, SIMULATOR] });
  const { text } = await callTool(name, args, {
    context: async () => ({ sessions, config: defaultConfig() }),
    signal: new AbortController().signal,
    progress: () => {},
    log: () => {},
  });
  return text;
}

function dump(name: string): string {
  const path = join(rig.home, name);
  writeFileSync(path, '');
  return path;
}

describe('targets that never run', () => {
  test('a dump is open at once, is not called frozen, and is not let run', async () => {
    const text = await tool('start_kd', { dump_file: dump('memory.dmp') });
    expect(text).toMatch(/^dump-memory · broken \(a memory dump does not run\) · 0: kd>/);
    expect(text).not.toContain('frozen');
    expect(await tool('kd_command', { command: 'r rip' })).toContain('rip=');
    expect(await tool('continue_go')).toContain('There is nothing to let run: a memory dump does not run.');
    expect(await tool('kd_command', { command: 'p' })).toContain('No runnable debuggees error');
    expect(await tool('list_sessions')).not.toContain('frozen');
    expect(await tool('stop_kd')).toContain('guest: none was connected');
  });

  test('several dumps have prompts that name the target, and `g` goes on to the next', async () => {
    const files = [dump('one.dmp'), dump('two.dmp')].join(';');
    expect(await tool('start_kd', { dump_file: files })).toMatch(/^dump-one · broken .* · \|\|0:0: kd>/);
    expect(await tool('kd_command', { command: '.echo one\n.echo two' })).toMatch(/one[\s\S]*two/);
    expect(await tool('kd_command', { command: 'g' })).toMatch(/^dump-one · broken .* · \|\|1:0: kd>/);
  });

  test('the local kernel has its own prompt and no run control', async () => {
    expect(await tool('start_kd', { transport: 'local' })).toMatch(
      /^local · broken \(the local kernel is this machine, which runs on: nothing here is halted\) · lkd>/,
    );
    expect(await tool('continue_go')).toContain('There is nothing to let run: the local kernel');
    expect(await tool('kd_command', { command: 'g' })).toContain('No runnable debuggees error');
    expect(await tool('stop_kd')).toContain('guest: none was connected');
  });
});

describe('targets that connect', () => {
  test.each([
    ['com', { com_port: 'COM1' }, 'com-1'],
    ['a virtual machine’s pipe', { pipe: '\\\\.\\pipe\\com_1' }, 'pipe-com_1'],
    ['a serial line over TCP', { host: '10.0.0.5', port: 4555 }, 'tcp-10-0-0-5-4555'],
    ['usb', { transport: 'usb', target_name: 'Lab' }, 'usb-lab'],
    ['a -k text', { k: 'com:port=COM2,baud=115200' }, 'com-2'],
  ])('%s: starts, halts, lets run, ends', async (_what, args, id) => {
    expect(await tool('start_kd', { ...args, break_on_connect: true })).toMatch(
      new RegExp(`^${id} · broken \\(guest frozen`),
    );
    expect(await tool('continue_go', { wait_sec: 0 })).toContain('running');
    expect(await tool('break_in')).toContain('broken');
    expect(await tool('stop_kd')).toContain('guest: running');
  });
});
