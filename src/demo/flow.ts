/** The main job, step by step, the same for every guest: each step is a tool call whose reply is checked. */
import type { McpReply } from '../mcp/client.ts';
import { addressOf } from '../tools/winrm-watch.ts';
import { probeWinrm, WINRM_PORTS } from '../winrm/probe.ts';
import type { CallTool, Guest } from './guest.ts';
import type { Narrator } from './narrator.ts';

/** A reply was not what the story needs. */
export class DemoFailure extends Error {
  override readonly name = 'DemoFailure';
}

const ROUTINE = 'mydriver!MyDispatch';
const PRINTED = 'mydriver: a request has come';
/** Pages that are shown of the long output. */
const PAGES = 3;

export async function tellMainJob(guest: Guest, client: CallTool, narrator: Narrator): Promise<void> {
  const call = async (
    tool: string,
    args: Readonly<Record<string, unknown>>,
    wanted: RegExp,
    lines = 8,
  ): Promise<McpReply> => {
    narrator.call(tool, args);
    const reply = await client(tool, args);
    narrator.quote(reply.text, lines);
    if (wanted.test(reply.text)) return reply;
    throw new DemoFailure(
      `The reply of ${tool} was expected to match ${wanted}:\n${reply.text.slice(0, 2_000)}`,
    );
  };
  const command = (text: string, wanted: RegExp, lines?: number) =>
    call('kd_command', { command: text }, wanted, lines);

  narrator.step('Connect', 'The agent needs no port and no key: they are in the state file.');
  await call('start_from_state', {}, / · (running|waiting for the target \(link is up)/, 4);
  await winrm(guest, narrator, true);

  narrator.step('Break in', 'From here on the guest is frozen: be short.');
  await call('break_in', {}, / · broken \(/, 12);
  await winrm(guest, narrator, false);

  narrator.step('Look around', 'Several lines are several commands, each with its own result.');
  await command('r', /rip=/, 10);
  await command('k\nlm', /mydriver|nt!/, 16);

  narrator.step(
    'Read a long output in pages',
    'A reply stays below 8 KB; its last line names the next call.',
  );
  await readInPages(call, guest.longCommand);

  narrator.step('Set a breakpoint in a driver, let the guest run, wait until it hits');
  await command(`.reload\nbp ${ROUTINE}\nbl`, /mydriver!MyDispatch|mydriver\+/, 14);
  const went = await call('continue_go', { wait_sec: 0 }, / · running \(/, 3);
  const from = cursorOf(went);
  narrator.note(`In the guest, the driver prints a line and ${ROUTINE} is executed.`);
  await guest.print(`${PRINTED}\n`);
  await guest.execute(ROUTINE);
  await call('wait_for_break', { from }, /breakpoint 0 hit/, 10);

  narrator.step('What did the driver print meanwhile?', 'The transcript holds everything, in order.');
  await call('read_output', { from, grep: 'mydriver: ' }, new RegExp(PRINTED), 8);
  await command('k\nbc *', /MyDispatch/, 8);

  narrator.step('Give the guest back');
  if (guest.hasWinrm) await call('resume_for_winrm', {}, /WinRM answers at /, 6);
  else await call('continue_go', { wait_sec: 1 }, / · running \(/, 4);

  narrator.step('Stop', 'kd detaches; the guest goes on running.');
  await call('stop_kd', {}, /guest: running/, 4);
  narrator.note(await guest.proveRunning(client));
}

type Call = (
  tool: string,
  args: Readonly<Record<string, unknown>>,
  wanted: RegExp,
  lines?: number,
) => Promise<McpReply>;

async function readInPages(call: Call, longCommand: string): Promise<void> {
  let reply = await call('kd_command', { command: longCommand }, /read_output\(/, 8);
  for (let page = 1; page <= PAGES; page++) {
    const from = nextPage(reply);
    if (from === undefined) throw new DemoFailure(`No next page is named:\n${reply.text.slice(-300)}`);
    reply = await call('read_output', { from }, /bytes [\d,]+–[\d,]+ of [\d,]+/, 5);
  }
}

/** `more: read_output(…, from=N)`, as a model would read it. */
function nextPage(reply: McpReply): number | undefined {
  const matches = [...reply.text.matchAll(/read_output\((?:[^()]*,\s*)?from=(\d+)/g)];
  const last = matches.at(-1)?.[1];
  return last === undefined ? undefined : Number(last);
}

function cursorOf(reply: McpReply): number {
  return Number(/cursor (\d+)/.exec(reply.text)?.[1] ?? 0);
}

/** Looks by itself, not through the tools. */
async function winrm(guest: Guest, narrator: Narrator, expected: boolean): Promise<void> {
  if (!guest.hasWinrm) return;
  const { host, port } = addressOf(guest.host);
  const seen = await probeWinrm({
    hosts: [host],
    ports: port === undefined ? WINRM_PORTS : [port],
    timeoutMs: 2_000,
  });
  const answers = seen.some(({ kind }) => kind === 'answered');
  narrator.note(
    answers ? `WinRM of the guest (${guest.host}) answers.` : `WinRM of the guest (${guest.host}) is silent.`,
  );
  if (answers !== expected) {
    throw new DemoFailure(`WinRM was expected to be ${expected ? 'answering' : 'silent'}.`);
  }
}
