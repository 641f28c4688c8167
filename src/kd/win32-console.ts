/**
 * Console events on Windows: how Ctrl+C and Ctrl+Break reach a kd whose console nobody sees.
 *
 * Order of use in a session host: {@link enableCtrlC}, spawn kd with `windowsHide` (its own hidden console; `detached`
 * would give it none), {@link attachConsole} once kd runs, {@link sendCtrl} for each break.
 */
import { attempt, succeeded, type Win32, Win32Error, type Win32Result } from './win32-library.ts';

const EVENTS = { c: 0, break: 1 } as const;

/**
 * Lets Ctrl+C through to programs this process starts from now on. A detached process begins with Ctrl+C ignored and
 * its children inherit that: no break would ever arrive in kd (design.md §3, measured).
 */
export function enableCtrlC(): Win32Result {
  return attempt(({ kernel32, failed }) =>
    kernel32.SetConsoleCtrlHandler(null, 0) === 0 ? failed('SetConsoleCtrlHandler') : succeeded(),
  );
}

/**
 * Makes this process survive the console events it sends. Must be repeated whenever it has changed its console:
 * AttachConsole and FreeConsole empty the table of handlers (Microsoft: Console Control Handlers), Node's own with it,
 * so `process.on('SIGINT')` alone protects nothing.
 *
 * A handler is any function that takes a DWORD and returns "handled" (not zero). GetCurrentProcessId is one: it runs on
 * the system's own thread for the event, whatever Node does meanwhile, needs no compiled code and no callback into
 * JavaScript. (SetConsoleCtrlHandler(NULL, TRUE) would not do: it covers Ctrl+C only, not Ctrl+Break.)
 */
export function ignoreCtrlInThisProcess(): Win32Result {
  return attempt(protect);
}

function protect({ kernel32, failed }: Win32): Win32Result {
  const handler = kernel32.GetProcAddress(kernel32.GetModuleHandleW('kernel32.dll'), 'GetCurrentProcessId');
  if (handler === null) return failed('GetProcAddress');
  // Removed first, so that the table never holds it twice.
  kernel32.SetConsoleCtrlHandler(handler, 0);
  return kernel32.SetConsoleCtrlHandler(handler, 1) === 0 ? failed('SetConsoleCtrlHandler') : succeeded();
}

/**
 * Moves this process from its own console, if any, to that of `pid`, and protects it there. Once per kd: each switch
 * costs milliseconds. Fails with {@link Win32Error.invalidHandle} or {@link Win32Error.generalFailure} while `pid` has
 * no console yet ({@link consoleMayFollow}), with {@link Win32Error.invalidParameter} when it does not exist.
 */
export function attachConsole(pid: number): Win32Result {
  return attempt((win32) => {
    const { kernel32, failed } = win32;
    // Fails when there is no console to leave: that is as good.
    kernel32.FreeConsole();
    if (kernel32.AttachConsole(pid) === 0) return failed('AttachConsole');
    return protect(win32);
  });
}

/**
 * Leaves the console this process is attached to. With the last process its console ends, and so does the console's own
 * program, which under Wine 8 holds the pipes of the program it was made for (seen: no end of file before that).
 */
export function leaveConsole(): Win32Result {
  return attempt(({ kernel32, failed }) =>
    kernel32.FreeConsole() === 0 ? failed('FreeConsole') : succeeded(),
  );
}

/** Whether a failed {@link attachConsole} may succeed a moment later: kd's console is made while kd starts. */
export function consoleMayFollow(result: Win32Result): boolean {
  if (result.ok || result.call !== 'AttachConsole') return false;
  return result.error === Win32Error.invalidHandle || result.error === Win32Error.generalFailure;
}

/**
 * Sends the event to every program of the console this process is attached to (group 0): kd, and whatever stands
 * between it and its starter, such as a Store alias.
 */
export function sendCtrl(event: 'break' | 'c'): Win32Result {
  return attempt(({ kernel32, failed }) =>
    kernel32.GenerateConsoleCtrlEvent(EVENTS[event], 0) === 0
      ? failed('GenerateConsoleCtrlEvent')
      : succeeded(),
  );
}
