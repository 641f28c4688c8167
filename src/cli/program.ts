/** The subcommands and their options. No logic: each action loads and calls the file of its own name. */
import { Command, Option } from 'commander';
import { VERSION } from '../version.ts';

/** Options before or behind each subcommand. */
export interface GlobalOptions {
  readonly config?: string;
  readonly home?: string;
}

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
    .showHelpAfterError('(kd-mcp --help lists the commands)');

  const add = (name: string, description: string, hidden = false): Command =>
    program
      .command(name, { hidden })
      .description(description)
      .addOption(
        new Option('--config <file>', 'configuration file (default: KD_MCP_CONFIG, then the user’s folder)'),
      )
      .addOption(new Option('--home <folder>', 'where sessions live (default: the user’s data folder)'));

  add('serve', 'MCP server on stdin and stdout').action(async (options: GlobalOptions) => {
    const { serve } = await import('./serve.ts');
    await serve(options);
  });

  add('doctor', 'check the set-up and say what to do').action(async (options: GlobalOptions) => {
    const { doctor } = await import('./doctor.ts');
    process.exitCode = await doctor(options);
  });

  add('sessions', 'list sessions, live and ended')
    .option('--json', 'records as JSON, without their tokens')
    .action(async (options: GlobalOptions & { json?: boolean }) => {
      const { printSessions } = await import('./sessions.ts');
      await printSessions(options);
    });

  add('attach', 'a console on a session: type commands, see everybody’s output')
    .argument('[id]', 'session; may be left out when only one lives')
    .action(async (id: string | undefined, options: GlobalOptions) => {
      const { attach } = await import('./attach.ts');
      process.exitCode = await attach(id, options);
    });

  add('stop', 'end a session; the guest runs on')
    .argument('[id]', 'session; may be left out when only one lives')
    .option('--leave-frozen', 'leave a halted guest halted')
    .action(async (id: string | undefined, options: GlobalOptions & { leaveFrozen?: boolean }) => {
      const { stop } = await import('./stop.ts');
      await stop(id, options);
    });

  add('rescue', 'resume guests that were left frozen by a session that died')
    .argument('[id]', 'ended session, whatever halted its guest; default: all that need no word of yours')
    .option('--state-file <file>', 'state file that holds the key, if it is not known any more')
    .action(async (id: string | undefined, options: GlobalOptions & { stateFile?: string }) => {
      const { rescue } = await import('./rescue.ts');
      process.exitCode = await rescue(id, options);
    });

  add('log', 'print the transcript of a session, live or ended')
    .argument('[id]', 'session; may be left out when only one lives')
    .option('--commands', 'the index of commands instead')
    .action(async (id: string | undefined, options: GlobalOptions & { commands?: boolean }) => {
      const { log } = await import('./log.ts');
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
    .argument('[arguments...]', 'as for kd.exe, or a scenario: kd-mcp simulate --help')
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
