/** Runs an input line: comments, aliases, `;`, and the table of commands. */
import { type Command, CommandError, caretError, type Execution, type Invocation } from './command.ts';
import { COMMANDS } from './commands/all.ts';
import type { Debugger } from './debugger.ts';
import { blockEnd, commandWord, statementEnd } from './statements.ts';

const BY_NAME = new Map<string, Command>(COMMANDS.flatMap((c) => c.names.map((name) => [name, c] as const)));

/** First letters that kd takes for a command of their own, whatever follows: `foo` is the fill command (engine.md §5). */
const FIRST_LETTERS = [
  'bp',
  'bu',
  'bl',
  'bc',
  'bd',
  'be',
  'ba',
  'ln',
  'lm',
  'r',
  'k',
  'x',
  'u',
  'g',
  'p',
  't',
  'q',
  'e',
  'd',
  'f',
  's',
  'c',
  'm',
  'z',
  'n',
  'a',
  'j',
];

/** Command of a word; extensions without their module (`kdexts.process`). */
export function commandNamed(word: string): Command | undefined {
  const exact = BY_NAME.get(word) ?? BY_NAME.get(word.toLowerCase());
  if (exact) return exact;
  // Options may follow their command without a blank: `lmvm`, `kbn`.
  if (/^lm[a-z]*$/i.test(word)) return BY_NAME.get('lm');
  if (/^k[bnvpPLfcM]*$/.test(word)) return BY_NAME.get('k');
  return BY_NAME.get(word.replace(/^!\w+\./, '!').toLowerCase());
}

/** Whether an interrupted line ends with `-- User interrupt` (engine.md §5). */
export function isDump(line: string): boolean {
  return commandNamed(commandWord(line.trimStart()))?.dump ?? false;
}

/** Runs all commands of a line. */
export function* interpret(kd: Debugger, line: string): Execution {
  let text = line;
  for (;;) {
    text = text.replace(/^[\s;]+/, '');
    if (text === '') return;
    text = withAliases(kd, text);
    const word = commandWord(text);
    const command = commandNamed(word);
    const end = extentOf(command, text);
    const statement = text.slice(0, end);
    text = text.slice(end);
    yield* runOne(kd, statement.trimEnd(), word, command);
  }
}

function extentOf(command: Command | undefined, text: string): number {
  switch (command?.extent) {
    case 'line':
      return text.length;
    case 'block':
      return blockEnd(text, 0);
    case 'statement':
    case undefined:
      return statementEnd(text, 0);
  }
}

function* runOne(kd: Debugger, statement: string, word: string, command: Command | undefined): Execution {
  const call: Invocation = { name: word, rest: statement.slice(word.length), text: statement };
  if (kd.scenario.hang === 'extension' && word.startsWith('!')) yield { kind: 'hang' };
  if (command?.target && kd.options.target.kind !== 'dump') {
    kd.inDump = () => command.dump ?? false;
    yield { kind: 'touch' };
    if (kd.style.symbolWarnings) kd.inject('*** WARNING: Unable to verify timestamp for mydriver.sys\n');
  }
  if (command) yield* command.run(kd, call);
  else throw unknownCommand(kd, statement, word);
}

function unknownCommand(kd: Debugger, statement: string, word: string): CommandError {
  if (word.startsWith('!')) {
    const name = word.slice(1);
    return new CommandError(`${name} is not extension gallery command\nNo export ${name} found\n`);
  }
  const letters = FIRST_LETTERS.find((l) => statement.startsWith(l));
  if (letters && !statement.startsWith('.'))
    return new CommandError(`Couldn't resolve error at '${statement.slice(letters.length)}'\n`);
  return caretError(kd, Math.max(0, statement.length - 1), 'Syntax error', statement);
}

/** Replaces `${name}` and whole words that are aliases; a line that works on aliases is left alone. */
export function withAliases(kd: Debugger, text: string): string {
  if (kd.aliases.size === 0 || /^(as|aS|ad|al)\b/.test(text)) return text;
  const braced = text.replace(/\$\{([^}:]+)\}/g, (all, name: string) => kd.aliases.get(name) ?? all);
  return braced.replace(/(?<=^|[\s;])[^\s;"]+(?=$|[\s;])/g, (word) => kd.aliases.get(word) ?? word);
}
