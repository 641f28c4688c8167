/** `!analyze`: the structure of kd-behaviour.md §8.6, filled from the guest's own bugcheck. */
import { type Command, CommandError, type Execution, type Invocation, quietly } from '../command.ts';
import type { Debugger } from '../debugger.ts';
import { framesOf, siteOf } from '../stack.ts';
import { ANALYSIS_BOX, plain, tick } from '../texts.ts';

interface Known {
  readonly name: string;
  readonly text: string;
  readonly parameters: readonly [string, string, string, string];
}

const KNOWN: Readonly<Record<number, Known>> = {
  209: {
    name: 'DRIVER_IRQL_NOT_LESS_OR_EQUAL',
    text: 'An attempt was made to access a pageable (or completely invalid) address at an\ninterrupt request level (IRQL) that is too high.  This is usually\ncaused by drivers using improper addresses.\nIf kernel debugger is available get stack backtrace.\n',
    parameters: [
      'memory referenced',
      'IRQL',
      'value 0 = read operation, 1 = write operation',
      'address which referenced memory',
    ],
  },
  226: {
    name: 'MANUALLY_INITIATED_CRASH',
    text: 'The user manually initiated this crash dump.\n',
    parameters: ['0', '0', '0', '0'],
  },
  80: {
    name: 'PAGE_FAULT_IN_NONPAGED_AREA',
    text: 'Invalid system memory was referenced.  This cannot be protected by try-except.\nTypically the address is just plain bad or it is pointing at freed memory.\n',
    parameters: [
      'memory referenced.',
      'value 0 = read operation, 1 = write operation',
      'address',
      '(reserved)',
    ],
  },
  59: {
    name: 'SYSTEM_SERVICE_EXCEPTION',
    text: 'An exception happened while executing a system service routine.\n',
    parameters: [
      'Exception code that caused the BugCheck',
      'Address of the instruction',
      'Address of the context record',
      'zero.',
    ],
  },
};

const UNKNOWN: Known = {
  name: 'Unknown bugcheck code',
  text: 'Unknown bugcheck description\n',
  parameters: ['', '', '', ''],
};

const KEYS = (code: string): readonly (readonly [string, string])[] => [
  ['Analysis.CPU.mSec', '1937'],
  ['Analysis.Elapsed.mSec', '2196'],
  ['Analysis.Init.Elapsed.mSec', '81154'],
  ['Bugcheck.Code.KiBugCheckData', `0x${code}`],
  ['Bugcheck.Code.LegacyAPI', `0x${code}`],
  ['Failure.Bucket', code === '0' ? 'BREAKPOINT_nt!DbgBreakPointWithStatus' : 'AV_mydriver!MyCrash'],
  ['Failure.Hash', '{9745090a-9bce-ccba-c096-ca6e9ca04c64}'],
];

/** `NAME (d1)`, description and arguments. */
function title(code: number, known: Known, parameters: readonly bigint[]): string {
  const lines = parameters.map((value, i) => {
    const meaning = known.parameters[i] ?? '';
    return `Arg${i + 1}: ${plain(value)}${meaning === '' ? '' : `, ${meaning}`}\n`;
  });
  return `${ANALYSIS_BOX}\n${known.name} (${code.toString(16)})\n${known.text}Arguments:\n${lines.join('')}\nDebugging Details:\n------------------\n\n\n`;
}

function* analyze(kd: Debugger, call: Invocation): Execution {
  const { bugcheck } = kd.machine;
  const code = bugcheck?.code ?? 0;
  const parameters = bugcheck?.parameters ?? [0n, 0n, 0n, 0n];
  const known = KNOWN[code] ?? UNKNOWN;
  const hex = code.toString(16);
  if (!/-v/.test(call.rest)) {
    yield `${ANALYSIS_BOX}\nUse !analyze -v to get detailed debugging information.\n\nBugCheck ${hex.toUpperCase()}, {${parameters.map((p) => p.toString(16)).join(', ')}}\n\n`;
    yield `Probably caused by : ${bugcheck ? 'mydriver.sys ( mydriver!MyCrash+2 )' : 'ntkrnlmp.exe ( nt!DbgBreakPointWithStatus+0 )'}\n\nFollowup:     MachineOwner\n---------\n\n`;
    return;
  }
  yield 'Loading Kernel Symbols\n...\nLoading User Symbols\n\n';
  yield title(code, known, parameters);
  yield 'KEY_VALUES_STRING: 1\n\n';
  for (const [key, value] of KEYS(hex)) yield `    Key  : ${key}\n    Value: ${value}\n\n`;
  yield `BUGCHECK_CODE:  ${hex}\n\n`;
  for (const [i, value] of parameters.entries()) yield `BUGCHECK_P${i + 1}: ${value.toString(16)}\n\n`;
  if (code === 0xd1) yield `READ_ADDRESS:  ${plain(parameters[0] ?? 0n)} \n\n`;
  yield `PROCESS_NAME:  ${bugcheck ? 'mytest.exe' : 'System'}\n\n`;
  const frames = framesOf(kd, 0x14);
  yield 'STACK_TEXT:  \n';
  const zero = '00000000`00000000';
  for (const frame of frames)
    yield `${tick(frame.childSp)} ${tick(frame.returnAddress)}     : ${zero} ${zero} ${zero} ${zero} : ${siteOf(kd, frame.ip)}\n`;
  const guilty = bugcheck ? 'mydriver' : 'nt';
  const symbol = bugcheck ? 'mydriver!MyCrash+2' : siteOf(kd, frames[0]?.ip ?? 0n);
  yield `\n\nSYMBOL_NAME:  ${symbol}\n\nMODULE_NAME: ${guilty}\n\nIMAGE_NAME:  ${bugcheck ? 'mydriver.sys' : 'ntkrnlmp.exe'}\n\n`;
  yield 'STACK_COMMAND:  .cxr; .ecxr ; kb\n\n';
  yield `FAILURE_BUCKET_ID:  ${bugcheck ? 'AV_mydriver!MyCrash' : 'BREAKPOINT_nt!DbgBreakPointWithStatus'}\n\n`;
  yield 'OS_VERSION:  10.0.19041.1\n\nBUILDLAB_STR:  vb_release\n\nOSPLATFORM_TYPE:  x64\n\nOSNAME:  Windows 10\n\n';
  yield 'FAILURE_ID_HASH:  {9745090a-9bce-ccba-c096-ca6e9ca04c64}\n\nFollowup:     MachineOwner\n---------\n\n';
}

/** Where extensions are looked for. */
export const EXTENSION_PATH = 'C:\\Debuggers\\x64\\WINXP;C:\\Debuggers\\x64\\winext;C:\\Debuggers\\x64';

export const CRASHES: readonly Command[] = [
  {
    names: ['.unload'],
    run: quietly((_kd, call) => {
      throw new CommandError(`No extension named '${call.rest.trim()}' in chain\n`);
    }),
  },
  { names: ['!analyze'], dump: true, target: true, run: analyze },
  {
    names: ['!load', '.load'],
    run: quietly((_kd, call) => {
      throw new CommandError(
        `The call to LoadLibrary(${call.rest.trim()}) failed, Win32 error 0n2\n    "The system cannot find the file specified."\nPlease check your debugger configuration and/or network access.\nExtension DLL search Path:\n    ${EXTENSION_PATH}\nYou may also consider deploying your extension to the UserExtensions extension gallery repository\nlocated at %LOCALAPPDATA%\\dbg\\UserExtensions folder. It would require an extension manifest.\nError: Failed to load extension ${call.rest.trim()}\n`,
      );
    }),
  },
];
