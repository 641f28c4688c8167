import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { programOf } from '../../src/kd/script.ts';
import { CLI } from './rig.ts';

let temporary: string;
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), 'kdd-'));
});
afterEach(() => {
  rmSync(temporary, { recursive: true, force: true });
});

function runDemo(env: Readonly<Record<string, string>>): Promise<{ code: unknown; out: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [CLI, 'demo'],
      { env: { PATH: process.env.PATH, SYSTEMROOT: process.env.SYSTEMROOT, ...env } },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : error.code, out: stdout + stderr }),
    );
  });
}

describe('the demo', () => {
  it('tells the main job from the state file to a guest that runs again, and leaves nothing behind', async () => {
    const { code, out } = await runDemo({ HOME: temporary, TMPDIR: temporary, TEMP: temporary });
    expect(out).toContain('winrm-kd-session-v1');
    expect(out).toContain('stopped: break-in');
    expect(out).toContain('WinRM of the guest (127');
    expect(out).toContain('is silent.');
    expect(out).toContain('breakpoint 0 hit');
    expect(out).toContain('mydriver: a request has come');
    expect(out).toContain('WinRM answers at 127');
    expect(out).toContain('The guest itself says: running.');
    expect(out).not.toContain('"key"');
    expect(code, out).toBe(0);
    expect(readdirSync(temporary).filter((name) => name.startsWith('kd-mcp-demo'))).toEqual([]);
  }, 60_000);
});

describe('a debugger named by its path', () => {
  it('is started as it is, unless it is a script, which this Node runs', () => {
    expect(programOf('C:\\kits\\kd.exe')).toEqual(['C:\\kits\\kd.exe']);
    expect(programOf('/opt/kd')).toEqual(['/opt/kd']);
    expect(programOf('/opt/kd.mjs')).toEqual([process.execPath, '/opt/kd.mjs']);
    expect(programOf('C:\\kd.JS')).toEqual([process.execPath, 'C:\\kd.JS']);
  });
});
