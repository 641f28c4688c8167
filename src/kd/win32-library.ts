/**
 * Windows functions, bound on first use through koffi.
 *
 * koffi is native and an optional package: nothing here touches it until a function is called on Windows, so the same
 * bundle runs where it is not installed.
 */
import { createRequire } from 'node:module';

/** Outcome of a Windows call that may well fail: a program looks at the number, a person reads the call's name. */
export type Win32Result<T = undefined> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly call: string; readonly error: number };

/** System error codes this program acts upon (winerror.h). */
export const Win32Error = {
  /** AttachConsole: the process exists and has no console (yet). */
  invalidHandle: 6,
  /** AttachConsole: the process is still being started; GenerateConsoleCtrlEvent uses it for "no console" too. */
  generalFailure: 31,
  accessDenied: 5,
  notSupported: 50,
  invalidParameter: 87,
  /** Also: koffi or one of the functions is not there. */
  moduleNotFound: 126,
} as const;

/** A pointer or handle as koffi hands it out. */
export type Pointer = bigint | null;

type Libraries = {
  readonly 'kernel32.dll': {
    readonly GetLastError: () => number;
    readonly CloseHandle: (handle: Pointer) => number;
    readonly GetCurrentProcess: () => Pointer;
    readonly OpenProcess: (access: number, inherit: number, pid: number) => Pointer;
    readonly GetProcessTimes: (
      process: Pointer,
      created: Uint8Array,
      exited: Uint8Array,
      kernel: Uint8Array,
      user: Uint8Array,
    ) => number;
    readonly GetExitCodeProcess: (process: Pointer, code: Uint8Array) => number;
    readonly CreateJobObjectW: (security: null, name: null) => Pointer;
    readonly SetInformationJobObject: (
      job: Pointer,
      kind: number,
      limits: Uint8Array,
      size: number,
    ) => number;
    readonly AssignProcessToJobObject: (job: Pointer, process: Pointer) => number;
    readonly FreeConsole: () => number;
    readonly AttachConsole: (pid: number) => number;
    readonly SetConsoleCtrlHandler: (handler: Pointer, add: number) => number;
    readonly GenerateConsoleCtrlEvent: (event: number, group: number) => number;
    readonly GetModuleHandleW: (name: string) => Pointer;
    readonly GetProcAddress: (module: Pointer, name: string) => Pointer;
    readonly GetACP: () => number;
    readonly GetOEMCP: () => number;
  };
  readonly 'advapi32.dll': {
    readonly OpenProcessToken: (process: Pointer, access: number, token: Uint8Array) => number;
    readonly GetTokenInformation: (
      token: Pointer,
      kind: number,
      out: Uint8Array,
      size: number,
      needed: Uint8Array,
    ) => number;
  };
};

const PROTOTYPES: { readonly [L in keyof Libraries]: { readonly [F in keyof Libraries[L]]: string } } = {
  'kernel32.dll': {
    GetLastError: 'uint32_t __stdcall GetLastError()',
    CloseHandle: 'int __stdcall CloseHandle(void *handle)',
    GetCurrentProcess: 'void *__stdcall GetCurrentProcess()',
    OpenProcess: 'void *__stdcall OpenProcess(uint32_t access, int inherit, uint32_t pid)',
    GetProcessTimes:
      'int __stdcall GetProcessTimes(void *process, void *created, void *exited, void *kernel, void *user)',
    GetExitCodeProcess: 'int __stdcall GetExitCodeProcess(void *process, void *code)',
    CreateJobObjectW: 'void *__stdcall CreateJobObjectW(void *security, void *name)',
    SetInformationJobObject:
      'int __stdcall SetInformationJobObject(void *job, int kind, void *limits, uint32_t size)',
    AssignProcessToJobObject: 'int __stdcall AssignProcessToJobObject(void *job, void *process)',
    FreeConsole: 'int __stdcall FreeConsole()',
    AttachConsole: 'int __stdcall AttachConsole(uint32_t pid)',
    SetConsoleCtrlHandler: 'int __stdcall SetConsoleCtrlHandler(void *handler, int add)',
    GenerateConsoleCtrlEvent: 'int __stdcall GenerateConsoleCtrlEvent(uint32_t event, uint32_t group)',
    GetModuleHandleW: 'void *__stdcall GetModuleHandleW(str16 name)',
    GetProcAddress: 'void *__stdcall GetProcAddress(void *module, str name)',
    GetACP: 'uint32_t __stdcall GetACP()',
    GetOEMCP: 'uint32_t __stdcall GetOEMCP()',
  },
  'advapi32.dll': {
    OpenProcessToken: 'int __stdcall OpenProcessToken(void *process, uint32_t access, void *token)',
    GetTokenInformation:
      'int __stdcall GetTokenInformation(void *token, int kind, void *out, uint32_t size, void *needed)',
  },
};

const bound = new Map<keyof Libraries, object>();

/** The functions of a system library. @throws Error when koffi is missing; {@link attempt} turns that into a result. */
function load<L extends keyof Libraries>(name: L): Libraries[L] {
  const known = bound.get(name);
  if (known !== undefined) return known as Libraries[L];
  const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi');
  const library = koffi.load(name);
  const functions: Record<string, unknown> = {};
  for (const [key, prototype] of Object.entries<string>(PROTOTYPES[name]))
    functions[key] = library.func(prototype);
  bound.set(name, functions);
  return functions as Libraries[L];
}

export type Kernel32 = Libraries['kernel32.dll'];
export type Advapi32 = Libraries['advapi32.dll'];

export interface Win32 {
  readonly kernel32: Kernel32;
  readonly advapi32: Advapi32;
  /** A failure of `call` with the system's last error, which koffi keeps between two calls. */
  readonly failed: (call: string) => Win32Result<never>;
}

/** Runs `use` with the system's functions. Never throws: off Windows and without koffi the result is `koffi`, 126. */
export function attempt<T>(use: (win32: Win32) => Win32Result<T>): Win32Result<T> {
  let kernel32: Kernel32;
  let advapi32: Advapi32;
  try {
    if (process.platform !== 'win32') throw new Error('not Windows');
    kernel32 = load('kernel32.dll');
    advapi32 = load('advapi32.dll');
  } catch {
    return { ok: false, call: 'koffi', error: Win32Error.moduleNotFound };
  }
  const failed = (call: string): Win32Result<never> => ({ ok: false, call, error: kernel32.GetLastError() });
  return use({ kernel32, advapi32, failed });
}

/** A success with a value, or with none. */
export function succeeded(): Win32Result;
export function succeeded<T>(value: T): Win32Result<T>;
export function succeeded<T>(value?: T): Win32Result<T | undefined> {
  return { ok: true, value };
}

/** `AttachConsole failed with Windows error 6` */
export function describeFailure(failure: { readonly call: string; readonly error: number }): string {
  if (failure.call === 'koffi')
    return 'the native package koffi is not installed, so Windows functions cannot be called';
  return `${failure.call} failed with Windows error ${failure.error}`;
}
