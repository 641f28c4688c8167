/** The debugger's own settings: logs, what stops show, switches. */
import { unquote, words } from '../arguments.ts';
import { type Command, caretError, type Execution, type Invocation, quietly } from '../command.ts';
import type { Debugger } from '../debugger.ts';

/** `.logopen [/t] [/u] [/d] name`: a name with blanks needs quotes (engine.md §5). */
function* openLog(kd: Debugger, call: Invocation): Execution {
  const list = words(call.rest);
  const switches = list.filter((w) => /^\/\w$/.test(w));
  const [name, ...extra] = list.filter((w) => !/^\/\w$/.test(w));
  if (name === undefined) throw caretError(kd, call.text.length, 'Syntax error', call.text);
  const file = unquoteName(name);
  const opened = kd.openLog(file, { unicode: switches.includes('/u'), append: call.name === '.logappend' });
  yield opened ? `Opened log file '${file}'\n` : 'Log file could not be opened\n';
  const first = extra[0];
  if (first !== undefined)
    throw caretError(
      kd,
      call.text.indexOf(first, call.name.length + name.length),
      'Extra character error',
      call.text,
    );
}

function unquoteName(word: string): string {
  return word.replace(/^"|"$/g, '');
}

const ITEMS: readonly (readonly [string, string])[] = [
  ['sym', 'Symbol for current instruction'],
  ['dis', 'Disassembly of current instruction'],
  ['ea', 'Effective address for current instruction'],
  ['src', 'Source info for current instruction'],
  ['reg', 'Register state'],
];

function* promptAllow(kd: Debugger, call: Invocation): Execution {
  for (const word of words(call.rest)) {
    const name = word.slice(1);
    if (word.startsWith('-')) kd.hiddenAtPrompt.add(name);
    else if (word.startsWith('+')) kd.hiddenAtPrompt.delete(name);
    else throw caretError(kd, call.text.indexOf(word), 'Syntax error', call.text);
  }
  const lines = (hidden: boolean) =>
    ITEMS.filter(([name]) => kd.hiddenAtPrompt.has(name) === hidden)
      .map(([name, text]) => `${name.padStart(6)} - ${text}\n`)
      .join('');
  yield `Allow the following information to be displayed at the prompt:\n(Other settings can affect whether the information is actually displayed)\n${lines(false) || '   None\n'}`;
  yield `Do not allow the following information to be displayed at the prompt:\n${lines(true) || '   None\n'}`;
}

const SYMBOL_OPTIONS = `Symbol options are 0x30337:
  0x00000001 - SYMOPT_CASE_INSENSITIVE
  0x00000002 - SYMOPT_UNDNAME
  0x00000004 - SYMOPT_DEFERRED_LOADS
  0x00000010 - SYMOPT_LOAD_LINES
  0x00000020 - SYMOPT_OMAP_FIND_NEAREST
  0x00000100 - SYMOPT_NO_UNQUALIFIED_LOADS
  0x00000200 - SYMOPT_FAIL_CRITICAL_ERRORS
  0x00010000 - SYMOPT_AUTO_PUBLICS
  0x00020000 - SYMOPT_NO_IMAGE_SEARCH
`;

/** A setting that is shown without an argument; one is taken and forgotten. */
function shows(name: string, text: string): Command {
  return {
    names: [name],
    *run(_, call) {
      yield call.rest.trim() === '' ? text : '';
    },
  };
}

export const SETTINGS: readonly Command[] = [
  { names: ['.logopen', '.logappend'], run: openLog },
  {
    names: ['.logclose'],
    *run(kd) {
      const name = kd.logName();
      if (name === undefined) yield 'No log file open\n';
      else {
        // The line itself is still in the log.
        yield `Closing open log file ${name}\n`;
        kd.closeLog();
      }
    },
  },
  {
    names: ['.logfile'],
    *run(kd) {
      const name = kd.logName();
      yield name === undefined ? 'No log file open\n' : `Log '${name}' open\n`;
    },
  },
  { names: ['.prompt_allow'], run: promptAllow },
  {
    names: ['.prefer_dml'],
    *run(kd, call) {
      const word = call.rest.trim();
      if (word !== '') kd.dml = word === '1';
      yield `DML versions of commands ${kd.dml ? 'on' : 'off'} by default\n`;
    },
  },
  {
    names: ['.pcmd'],
    *run(kd, call) {
      const [option, text] = words(call.rest);
      if (option === '-c') kd.perPrompt = '';
      if (option === '-s') kd.perPrompt = unquote(text ?? '');
      yield kd.perPrompt === '' ? 'No per-prompt command\n' : `Per-prompt command is '${kd.perPrompt}'\n`;
    },
  },
  {
    names: ['.lines'],
    *run(kd, call) {
      const option = call.rest.trim();
      kd.lines = option === '-e' ? true : option === '-d' ? false : !kd.lines;
      yield `Line number information will ${kd.lines ? '' : 'not '}be loaded\n`;
    },
  },
  {
    names: ['.ofilter'],
    *run() {
      yield 'No debuggee output filter set\n';
    },
  },
  {
    names: ['.noshell'],
    *run(kd) {
      kd.noShell = true;
      yield 'Shell commands disabled\n';
    },
  },
  {
    names: ['.shell'],
    extent: 'line',
    *run(kd, call) {
      if (kd.noShell) {
        yield '.shell has been disabled\n';
        if (call.rest.trim() !== '')
          throw caretError(kd, call.name.length + 1, 'Extra character error', call.text);
        return;
      }
      if (call.rest.trim() !== '') {
        yield '.shell: Process exited\n';
        return;
      }
      yield 'Microsoft Windows [Version 10.0.19045.1]\nC:\\Debuggers\\x64><.shell waiting 1 second(s) for process>\n<.shell process may need input>';
      for (;;) {
        const line = (yield { kind: 'ask', prompt: 'Input> ' }).trim();
        if (line === '.shell_quit' || line === 'exit') break;
      }
      yield '.shell: Process exited\n';
    },
  },
  shows('.expr', 'Current expression evaluator: MASM - Microsoft Assembler expressions\n'),
  shows(
    '.exepath',
    'Executable image search path is: <empty>\nExpanded Executable image search path is: <empty>\n',
  ),
  shows('.srcpath', 'Source search path is: <empty>\n'),
  shows('.outmask', 'Client 000001C5D3B0A5F0 mask is 3F7\n'),
  shows('.symopt', SYMBOL_OPTIONS),
  { names: ['.kframes', '.noshell', '.cache'], run: quietly(() => {}) },
];
