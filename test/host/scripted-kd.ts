/**
 * A kd that does what a script says and nothing else: for what no well-behaved debugger does. It keeps the rules of the
 * pipe (no echo, a prompt without newline, stdin left alone while the target runs).
 *
 * `node scripted-kd.ts SCRIPT`, SCRIPT as JSON or `@FILE`. What it reads and what interrupts it is written to `kd-read.log`.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Printed text, or something that kd does. Without `run` and `ask` a reaction ends at a prompt. */
export type Act =
  | string
  | { readonly wait: number }
  | { readonly exit: number }
  /** The target runs: kd reads nothing more until an interrupt. */
  | 'run'
  /** kd asks: the next line is an answer. */
  | 'ask'
  /** Nothing more comes and nothing more is read. */
  | 'hang';

export interface Script {
  readonly start: readonly Act[];
  readonly lines?: Readonly<Record<string, readonly Act[]>>;
  readonly answers?: Readonly<Record<string, readonly Act[]>>;
  /** One for each interrupt; the last one for all that follow. An interrupt without one is dropped. */
  readonly interrupts?: readonly (readonly Act[])[];
  /** The first marker behind this command is cut short. `KDMCP_` in the reaction stands for the marker. */
  readonly cutEcho?: { readonly after: string; readonly print: readonly Act[] };
}

if (import.meta.main) await play(scriptIn(process.argv[2] ?? '{}'));

function scriptIn(argument: string): Script {
  const text = argument.startsWith('@') ? readFileSync(argument.slice(1), 'utf8') : argument;
  return JSON.parse(text) as Script;
}

async function play(script: Script): Promise<void> {
  let place: 'prompt' | 'working' | 'running' | 'asking' | 'hung' = 'working';
  let input = '';
  let interrupts = 0;
  let cut = script.cutEcho?.after;
  const write = (text: string): void => void process.stdout.write(text.replaceAll('\n', '\r\n'));
  const note = (text: string): void => appendFileSync('kd-read.log', `${text}\n`);
  const react = async (acts: readonly Act[]): Promise<void> => {
    place = 'working';
    for (const act of acts) {
      if (act === 'run') place = 'running';
      else if (act === 'ask') place = 'asking';
      else if (act === 'hang') place = 'hung';
      else if (typeof act === 'string') write(act);
      else if ('wait' in act) await delay(act.wait);
      else process.exit(act.exit);
    }
    if (place === 'working') {
      write('0: kd> ');
      place = 'prompt';
    }
    void read();
  };
  const read = async (): Promise<void> => {
    const end = input.indexOf('\n');
    if (end < 0 || (place !== 'prompt' && place !== 'asking')) return;
    const line = input.slice(0, end).replace('\r', '');
    input = input.slice(end + 1);
    if (!line.startsWith('.echo')) note(line);
    if (place === 'asking') return react(script.answers?.[line] ?? script.answers?.['*'] ?? []);
    if (cut !== undefined && line === cut) {
      cut = '';
      return react(['one\n']);
    }
    if (cut === '' && line.startsWith('.echo K')) {
      cut = undefined;
      const marker = line.slice('.echo '.length);
      const print = script.cutEcho?.print ?? [];
      return react(print.map((act) => (typeof act === 'string' ? act.replace('KDMCP_', marker) : act)));
    }
    const echoed = /^\.echo ?(.*)/.exec(line);
    await react(script.lines?.[line] ?? (echoed ? [`${echoed[1]}\n`] : []));
  };
  process.stdin.on('data', (bytes) => {
    input += bytes.toString('latin1');
    void read();
  });
  process.on('SIGINT', () => {
    note('<interrupt>');
    const { interrupts: reactions = [] } = script;
    if (place === 'prompt' || reactions.length === 0) return;
    void react(reactions[Math.min(interrupts++, reactions.length - 1)] ?? []);
  });
  await react(script.start);
}
