/** The subcommands and their options. No logic: each action loads and calls the file of its own name. */
import { Command } from 'commander';
import { VERSION } from '../version.ts';
import { endWithReader } from './closed-pipe.ts';
import type { LogOptions } from './log.ts';
import type { ShareOptions } from './share.ts';

/** Options that each subcommand takes, before or behind its name. */
export interface GlobalOptions {
  readonly config?: string;
  readonly home?: string;
}

/** These have work to finish, or somebody else to answer to, when nobody reads what they print. */
const OUTLIVE_READER = new Set(['serve', 'attach', 'demo', 'host', 'launch']);

/** Runs `kd-mcp` with `argv` as in `process.argv`. Sets `process.exitCode`. */
export async function runProgram(argv: readonly string[]): Promise<void> {
  const program = createProgram();
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    process.stderr.write(`kd-mcp: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

export function createProgram(): Command {
  const program = new Command('kd-mcp')
    .description('One Windows kernel debugging session that a person and an AI agent share.')
    .version(VERSION)
    .option('--config <file>', "configuration file (default: KD_MCP_CONFIG, then the user's folder)")
    .option('--home <folder>', "where sessions live (default: KD_MCP_HOME, then the user's data folder)")
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(kd-mcp --help lists the commands)')
    .hook('preAction', (_program, command) => {
      if (!OUTLIVE_READER.has(command.name())) endWithReader();
    });

  const add = (name: string, description: string): Command => program.command(name).description(description);

  add('serve', 'MCP server on stdin and stdout').action(async (_own, command: Command) => {
    const { serve } = await import('./serve.ts');
    const options = command.optsWithGlobals<GlobalOptions>();
    await serve(options);
  });

  add('doctor', 'check the set-up and say what to do').action(async (_own, command: Command) => {
    const { doctor } = await import('./doctor.ts');
    const options = command.optsWithGlobals<GlobalOptions>();
    process.exitCode = await doctor(options);
  });

  add('config', 'print what makes an MCP client start this program')
    .argument('<client>', 'codex, claude-code, cursor or vscode')
    .action(async (client: string, _own, command: Command) => {
      const { config } = await import('./config.ts');
      config(client, command.optsWithGlobals<GlobalOptions>());
    });

  add('sessions', 'list sessions, live and ended')
    .option('--json', 'records as JSON, without their tokens')
    .action(async (_own, command: Command) => {
      const { printSessions } = await import('./sessions.ts');
      const options = command.optsWithGlobals<GlobalOptions & { json?: boolean }>();
      await printSessions(options);
    });

  add('attach', "a console on a session: type commands, see everybody's output")
    .argument('[id]', 'session; may be left out when only one lives')
    .action(async (id: string | undefined, _own, command: Command) => {
      const { attach } = await import('./attach.ts');
      const options = command.optsWithGlobals<GlobalOptions>();
      process.exitCode = await attach(id, options);
    });

  add('stop', 'end a session; the guest runs on')
    .argument('[id]', 'session; may be left out when only one lives')
    .option('--leave-frozen', 'leave a halted guest halted')
    .action(async (id: string | undefined, _own, command: Command) => {
      const { stop } = await import('./stop.ts');
      const options = command.optsWithGlobals<GlobalOptions & { leaveFrozen?: boolean }>();
      await stop(id, options);
    });

  add('level', 'lower what agents may do in a session')
    .argument('<level>', 'inspect or debug')
    .argument('[id]', 'session; may be left out when only one lives')
    .action(async (level: string, id: string | undefined, _own, command: Command) => {
      const { lowerLevel } = await import('./level.ts');
      await lowerLevel(level, id, command.optsWithGlobals<GlobalOptions>());
    });

  add('share', 'open a session in WinDbg, beside everybody who uses it')
    .argument('[id]', 'session; may be left out when only one lives')
    .option('--no-open', "print WinDbg's -remote line instead; it holds a password")
    .option('--break', 'halt a running target for a moment: kd takes commands only then')
    .option('--tcp <port>', 'a TCP port instead of a pipe of this machine: reached from the network')
    .option('--password <password>', 'for --tcp, 8 to 12 letters and digits')
    .action(async (id: string | undefined, _own, command: Command) => {
      const { share } = await import('./share.ts');
      await share(id, command.optsWithGlobals<ShareOptions>());
    });

  add('unshare', 'take no other debugger any more; who is connected stays')
    .argument('[id]', 'session; may be left out when only one lives')
    .option('--break', 'halt a running target for a moment')
    .action(async (id: string | undefined, _own, command: Command) => {
      const { unshare } = await import('./share.ts');
      await unshare(id, command.optsWithGlobals<GlobalOptions & { break?: boolean }>());
    });

  add('rescue', 'resume guests that were left frozen by a session that died')
    .argument('[id]', 'ended session, whatever halted its guest; default: all that need no word of yours')
    .option('--state-file <file>', 'state file that holds the key, if it is not known any more')
    .action(async (id: string | undefined, _own, command: Command) => {
      const { rescue } = await import('./rescue.ts');
      const options = command.optsWithGlobals<GlobalOptions & { stateFile?: string }>();
      process.exitCode = await rescue(id, options);
    });

  add('log', 'who sent which commands in a session, live or ended, and what became of them')
    .argument('[id]', 'session; may be left out when only one lives')
    .option('--json', 'the same as JSON, a line for each command')
    .option('--transcript', 'everything that the debugger printed instead')
    .action(async (id: string | undefined, _own, command: Command) => {
      const { log } = await import('./log.ts');
      const options = command.optsWithGlobals<LogOptions>();
      await log(id, options);
    });

  program
    .command('demo')
    .description('the main job, narrated, on a simulated guest')
    .action(async () => {
      const { demo } = await import('./demo.ts');
      process.exitCode = await demo();
    });

  program
    .command('simulate')
    .description('a simulated kd.exe with a simulated guest, on this terminal')
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .argument('[arguments...]', 'as for kd.exe; --list-scenarios shows what can be simulated')
    .action(async (args: string[]) => {
      const { simulate } = await import('./simulate.ts');
      process.exitCode = await simulate(args);
    });

  program
    .command('host', { hidden: true })
    .description('session host; started by the program itself')
    .action(async () => {
      const { runHost } = await import('../host/main.ts');
      await runHost();
    });

  program
    .command('launch', { hidden: true })
    .description('starts a session host detached; started by the program itself')
    .action(async () => {
      const { runLauncher } = await import('../host/launcher.ts');
      await runLauncher();
    });

  return program;
}
