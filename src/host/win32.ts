/**
 * What a session host and its clients ask of Windows about processes: end kd with the host, tell a reused pid, know
 * whether this process is elevated.
 *
 * Pipes need nothing from here. Node creates them with the default access list: full control for the system, for
 * administrators and for the owner; others may only read, and a Node client opens for writing too, so it gets EPERM.
 * The pipe of an elevated host belongs to the administrators: to the same person's ordinary programs it is closed
 * (EPERM again). Whoever does get in with some other program can send nothing, and the host says nothing before the
 * token.
 */
import { attempt, succeeded, type Win32, Win32Error, type Win32Result } from '../kd/win32-library.ts';

/** JobObjectExtendedLimitInformation, its size on 64-bit Windows, and where LimitFlags stands in it. */
const EXTENDED_LIMITS = { kind: 9, size: 144, flagsAt: 16 } as const;
const JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE = 0x2000;
const PROCESS_QUERY_LIMITED_INFORMATION = 0x1000;
const STILL_ACTIVE = 259;
const TOKEN_QUERY = 8;
const TOKEN_ELEVATION = 20;

let joined = false;

/**
 * Puts this process in a job that ends with it, however it ends, and takes along every program it starts from now on:
 * kd itself, and the real debugger behind a Store alias. Call it before kd is spawned; more calls change nothing.
 *
 * The job's only handle is never closed here. The system closes it when this process is gone, and that ends the rest.
 * A process can be in several jobs (since Windows 8), so one made by whoever started this process does not matter.
 */
export function joinKillOnCloseJob(): Win32Result {
  if (joined) return succeeded();
  return attempt(({ kernel32, failed }) => {
    const job = kernel32.CreateJobObjectW(null, null);
    if (job === null) return failed('CreateJobObject');
    const limits = Buffer.alloc(EXTENDED_LIMITS.size);
    limits.writeUInt32LE(JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, EXTENDED_LIMITS.flagsAt);
    // Assigned before the limit is set: until then, closing the handle after a failure ends nothing.
    if (kernel32.AssignProcessToJobObject(job, kernel32.GetCurrentProcess()) === 0) {
      return abandon(kernel32, job, failed('AssignProcessToJobObject'));
    }
    if (kernel32.SetInformationJobObject(job, EXTENDED_LIMITS.kind, limits, limits.length) === 0) {
      return abandon(kernel32, job, failed('SetInformationJobObject'));
    }
    joined = true;
    return succeeded();
  });
}

/**
 * When a process was created, as a decimal number of 100 ns since 1601: with the pid, it names one process for good.
 * Fails with {@link Win32Error.invalidParameter} when there is no such process (any more), with
 * {@link Win32Error.accessDenied} when there is one that this user may not look at.
 */
export function processStartTime(pid: number): Win32Result<string> {
  return attempt(({ kernel32, failed }) => {
    const handle = kernel32.OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, 0, pid);
    if (handle === null) return failed('OpenProcess');
    const code = Buffer.alloc(4);
    const created = Buffer.alloc(8);
    const unused = Buffer.alloc(8);
    if (kernel32.GetExitCodeProcess(handle, code) === 0) {
      return abandon(kernel32, handle, failed('GetExitCodeProcess'));
    }
    if (kernel32.GetProcessTimes(handle, created, unused, unused, unused) === 0) {
      return abandon(kernel32, handle, failed('GetProcessTimes'));
    }
    kernel32.CloseHandle(handle);
    // It has ended, and somebody still holds a handle of it.
    if (code.readUInt32LE() !== STILL_ACTIVE) {
      return { ok: false, call: 'OpenProcess', error: Win32Error.invalidParameter };
    }
    return succeeded(created.readBigUInt64LE().toString());
  });
}

/** Whether this process runs as administrator: COM ports, Hyper-V pipes and the local kernel need that. */
export function isElevated(): Win32Result<boolean> {
  return attempt(({ kernel32, advapi32, failed }) => {
    const cell = Buffer.alloc(8);
    if (advapi32.OpenProcessToken(kernel32.GetCurrentProcess(), TOKEN_QUERY, cell) === 0) {
      return failed('OpenProcessToken');
    }
    const token = cell.readBigUInt64LE();
    const elevated = Buffer.alloc(4);
    if (
      advapi32.GetTokenInformation(token, TOKEN_ELEVATION, elevated, elevated.length, Buffer.alloc(4)) === 0
    ) {
      return abandon(kernel32, token, failed('GetTokenInformation'));
    }
    kernel32.CloseHandle(token);
    return succeeded(elevated.readUInt32LE() !== 0);
  });
}

/** Closes a handle after a failure, which must have been read before. */
function abandon(
  kernel32: Win32['kernel32'],
  handle: bigint,
  failure: Win32Result<never>,
): Win32Result<never> {
  kernel32.CloseHandle(handle);
  return failure;
}
