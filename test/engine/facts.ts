/**
 * What the product believes of kd, and what stands behind each belief. docs/engine-facts.md is made of it;
 * facts.test.ts writes it (`npm run test:engine -- facts -u`) and fails where it is out of date or names no test.
 */

export type Evidence =
  /** A test of this folder sees Microsoft's engine do so: file and name. */
  | { readonly by: 'engine'; readonly file: string; readonly test: string }
  /** Only the console program of these tests, written after the documents, does so. */
  | { readonly by: 'console program'; readonly file: string; readonly test: string }
  | { readonly by: 'nobody here'; readonly why: string };

export interface Fact {
  readonly fact: string;
  /** Section of kd-behaviour.md or engine.md. */
  readonly source: string;
  readonly evidence: Evidence;
}

const engine = (file: string, test: string): Evidence => ({ by: 'engine', file: `${file}.test.ts`, test });
const program = (test: string): Evidence => ({ by: 'console program', file: 'kd-host.test.ts', test });
const nobody = (why: string): Evidence => ({ by: 'nobody here', why });

const EQUAL = 'is the same on the simulator and on the engine (-)';

export const FACTS: readonly Fact[] = [
  {
    fact: 'After `Waiting to reconnect...` nothing is known of the kernel; the link comes first, `Kernel Debugger connection established.` only with the first stop',
    source: 'kd-behaviour §0.2 rule 4, §3.1',
    evidence: engine(
      'main-job',
      'runs from the state file to a breakpoint in a driver and back to WinRM, with every tool',
    ),
  },
  {
    fact: 'A target that appears while kd waits is left running',
    source: 'kd-behaviour §2.3',
    evidence: engine('target', 'is left running when it appears by itself'),
  },
  {
    fact: 'A break asked for while no target is there is kept and stops it on connect',
    source: 'engine §6 (kd-behaviour §5.3 infers it)',
    evidence: engine('target', 'is stopped as soon as it appears, when a break was asked for'),
  },
  {
    fact: '`-bonc` adds `  (Initial Breakpoint requested)` to the line of the connection',
    source: 'kd-behaviour §1.1',
    evidence: engine(
      'kd-host',
      'with -bonc stops the guest as soon as it connects, and -c runs at the first prompt',
    ),
  },
  {
    fact: 'The prompt has one blank and no newline; the next output is glued to it; input is not echoed; one prompt per line read',
    source: 'kd-behaviour §0.2 rule 1, §4.1, §4.2',
    evidence: program('there is no newline after it, no echo, and one prompt per line read'),
  },
  {
    fact: 'While the target runs stdin is not read; lines wait and are run in order at the next stop',
    source: 'kd-behaviour §0.2 rule 2, §4.3',
    evidence: program('lines wait for the next stop, and are then run in order'),
  },
  {
    fact: 'Byte 06 and a newline on stdin break in at once',
    source: 'kd-behaviour §5.2',
    evidence: program('Ctrl+F on stdin stops it at once, also behind lines that wait'),
  },
  {
    fact: 'Byte 02 and a newline end kd at once and touch nothing',
    source: 'kd-behaviour §5.6',
    evidence: program('Ctrl+B on stdin ends kd at once and leaves the guest running'),
  },
  {
    fact: '`.server npipe:pipe=…,password=…` opens the session to others; the list shows the password as `*` (named pipes of Wine; TCP does not connect there)',
    source: 'kd-behaviour §9.1',
    evidence: engine(
      'remote',
      'is listed without its password, ended by its number, and those who came stay',
    ),
  },
  {
    fact: 'A password has at most 12 characters; a longer one is refused with `Win32 error 0n87`',
    source: 'kd-behaviour §9.1',
    evidence: engine('remote', 'takes a password of 12 characters and no longer one'),
  },
  {
    fact: '`.clients` lists the debugger itself too, as `HostMachine\\HostUser`; who leaves is not announced',
    source: 'kd-behaviour §9.1, §9.2',
    evidence: engine('remote', 'shows who is there, itself too, and those who left no longer'),
  },
  {
    fact: 'After the command of another user no new prompt follows. Its line is `[BOX\\user (npipe PIPE)] 0: kd> command` (who sent it in the words of the engine, where it stands as documented)',
    source: 'kd-behaviour §9.2',
    evidence: engine('remote', 'shows the commands of others with their names, and no new prompt after them'),
  },
  {
    fact: 'That line is shown before the command runs: a command of this kd may still come in between',
    source: 'seen here first',
    evidence: engine(
      'sharing',
      'a session that is opened to others shows them, follows what they do, and keeps the password to itself',
    ),
  },
  {
    fact: 'A client is first shown what was printed before, then `BOX\\user (npipe PIPE) connected at …`',
    source: 'kd-behaviour §9.2',
    evidence: engine('remote', 'is shown what was printed before it came'),
  },
  {
    fact: 'A wrong password is `0x80010007`, as is a server that was told to end; no pipe is `0x80070002` (the words of kd.exe around them are not known)',
    source: 'kd-behaviour §9.2',
    evidence: engine(
      'remote',
      'is refused with a wrong password, with none, after the end of the server, and where there is no pipe',
    ),
  },
  {
    fact: 'A client of a running target has no prompt; it can stop the target and let it run',
    source: 'kd-behaviour §9.2',
    evidence: engine('remote', 'has no prompt while the target runs, can stop it, and can let it run'),
  },
  {
    fact: 'Ctrl+B leaves another debugger and changes nothing there; `q` and `qd` are refused there, `qq` and `qqd` would end it',
    source: 'kd-behaviour §6.3, §9.2',
    evidence: engine('remote', 'cannot end the session with `q` or `qd`'),
  },
  {
    fact: 'Of several dumps the current one stands before the prompt (`||0:0:000>`), and `g` goes on to the next one',
    source: 'kd-behaviour §4.1',
    evidence: engine(
      'kd-host',
      'of several dumps the current one stands before the prompt, and `g` goes on to the next',
    ),
  },
  {
    fact: 'An empty line repeats the last command (the engine does it)',
    source: 'kd-behaviour §1.1',
    evidence: engine('kd-host', 'an empty line repeats the last command'),
  },
  {
    fact: 'A line of more than 4096 characters is two commands',
    source: 'kd-behaviour §1.1',
    evidence: program('a line of more than 4096 characters is two commands'),
  },
  {
    fact: 'At the end of its input kd ends at the prompt; the target stays as it is',
    source: 'kd-behaviour §4.3 (inferred there)',
    evidence: program('the end of the input ends it'),
  },
  {
    fact: '`e*` without values asks, and takes the next line as the answer',
    source: 'kd-behaviour §4.6',
    evidence: engine('kd-host', 'a command that asks takes the next line as its answer'),
  },
  {
    fact: "A quote in the middle of `.echo` quotes too, up to the next one or to the end of the line; `\\\"` escapes only in `.printf`. `'…'` hides a round bracket of a condition, and no brace. `t` and `p` take commands in quotes, `sx-` takes `-c`, and `j` an unquoted command behind its expression",
    source: 'kd-behaviour §7.1, §11.2',
    evidence: engine('command-line', 'quotes and brackets hide commands from a reader, and not from kd'),
  },
  {
    fact: 'Nothing marks the end of a command: a blank `.echo` and `.echo MARK` on lines of their own do, whatever the target prints',
    source: 'kd-behaviour §0.2 rule 3, §7.2',
    evidence: engine('output', 'that prints prompts, stops and markers does not end a command or a run'),
  },
  {
    fact: 'Ctrl+C stops a running target and prints the box; the stop is proved by a prompt',
    source: 'kd-behaviour §5.1, §5.4',
    evidence: engine('equivalence', EQUAL),
  },
  {
    fact: 'A break 0 to 100 ms after `g` may be lost; asked again, it stops the target',
    source: 'kd-behaviour §4.3',
    evidence: engine('breaks', 'of %i ms stops the target, time after time'),
  },
  {
    fact: 'A break request is one packet: lost with the link it is not repeated, a second one is sent',
    source: 'engine §6',
    evidence: engine('target', 'takes a break with it; the next one, after it is back, stops the target'),
  },
  {
    fact: 'A break interrupts a running loop (`^ User interrupted operation error`); queued lines follow',
    source: 'kd-behaviour §5.1',
    evidence: engine('breaks', 'is interrupted by a break, and the session takes the next one'),
  },
  {
    fact: '`qd` lets a halted kernel run, prints `quit:` and exits with 0',
    source: 'kd-behaviour §6.3 (the documents say user mode only)',
    evidence: engine('kd-host', 'qd lets the guest run: quit:, exit code 0'),
  },
  {
    fact: '`q` leaves the kernel frozen; a new kd is shown the stop and can take over',
    source: 'kd-behaviour §6.3, engine §6',
    evidence: engine(
      'breaks',
      'that leaves the guest frozen says so, and another session takes it over as it stands',
    ),
  },
  {
    fact: '`qd` with a break still owed needs care: the break is used up first',
    source: 'kd-behaviour §5.3',
    evidence: engine('breaks', 'with breaks that met other stops on their way leaves the guest running'),
  },
  {
    fact: 'kd killed while the target runs: it runs on. Killed while it is halted: it stays frozen, and another kd frees it',
    source: 'kd-behaviour §6.3',
    evidence: engine(
      'disasters',
      'of kd ends the session, says what became of the guest, and a new session frees it',
    ),
  },
  {
    fact: 'An orderly restart prints `Shutdown occurred at …`, no prompt; breakpoints are gone; kd reconnects by itself',
    source: 'kd-behaviour §3.5',
    evidence: engine(
      'target',
      'in an orderly way is followed through the reboot: breakpoints are lost, and it is said',
    ),
  },
  {
    fact: 'A reset without notice shows only with the next command, after which there is no prompt any more',
    source: 'engine §5',
    evidence: engine(
      'target',
      'without notice while it is halted shows with the next command, and the session goes on',
    ),
  },
  {
    fact: '`.reboot` gives no prompt back; lines on stdin wait',
    source: 'kd-behaviour §6.2',
    evidence: engine('target', 'by .reboot is followed as well'),
  },
  {
    fact: 'A link that is lost during a command holds the command; it goes on when the link is back',
    source: 'engine §5',
    evidence: engine('target', 'during a command holds the command until it is back; then it goes on'),
  },
  {
    fact: 'A wrong key is noisy: `Packet failed authentication…` at every offer',
    source: 'engine §2 (kd-behaviour §2.5 says silence: wrong)',
    evidence: engine('connection', 'that is not the guest’s is named as the likely reason'),
  },
  {
    fact: 'A missing, short or illegal key brings no complaint, only waiting',
    source: 'engine §5',
    evidence: engine('connection', 'that is malformed (%s) is refused before kd takes it in silence'),
  },
  {
    fact: 'A port in use: `Port N already in use by another process…`, exit with 0x80004005',
    source: 'engine §5 (kd-behaviour §2.4 lacks the first line)',
    evidence: engine(
      'connection',
      'a port that another debugger holds is told in kd’s own words, and leaves no session',
    ),
  },
  {
    fact: '`version` prints the KDNET key in clear text',
    source: 'kd-behaviour §1.2',
    evidence: engine('main-job', 'kd’s own view of the key stays between kd and the guest'),
  },
  {
    fact: 'DbgPrint text comes unchanged and in order, in any pieces, also in the middle of a line',
    source: 'kd-behaviour §7.4',
    evidence: engine('output', 'while the guest runs arrives whole and in order'),
  },
  {
    fact: 'Lost packets lose no output and mix none up; a DbgPrint that the target repeats for want of an acknowledgement is printed again',
    source: 'found here',
    evidence: engine(
      'output',
      'over a network that loses, doubles and delays packets each command gets its own output, in order',
    ),
  },
  {
    fact: '`.logopen /u` holds Korean text right on code page 949',
    source: 'kd-behaviour §4.5',
    evidence: engine('output', 'Korean text of the guest is read right (Unicode log: %s)'),
  },
  {
    fact: '`-z` opens a dump; commands that run answer `No runnable debuggees error`',
    source: 'kd-behaviour §3.4, §6.1',
    evidence: engine('connection', 'a dump is opened, inspected and left'),
  },
  {
    fact: '`-kl` without rights is refused with the reason',
    source: 'kd-behaviour §3.4',
    evidence: engine('kd-host', 'of the local kernel is refused with the reason and an exit code'),
  },
  {
    fact: '`-noshell` turns `.shell` off',
    source: 'kd-behaviour §1.1',
    evidence: engine('kd-host', '.shell is refused with -noshell'),
  },
  {
    fact: 'The texts of registers, stacks, memory, code, symbols, modules, breakpoints, errors, events and bugchecks',
    source: 'kd-behaviour §8, §10',
    evidence: engine('equivalence', EQUAL),
  },
  {
    fact: 'Ctrl+Break stops the target; the order of the break-in ladder',
    source: 'kd-behaviour §5.1',
    evidence: nobody('Wine 8 has no Ctrl+Break'),
  },
  {
    fact: 'kd.exe cuts lines with non-ASCII text on multibyte code pages',
    source: 'kd-behaviour §4.5',
    evidence: nobody('a bug of kd.exe’s own console output; the simulator imitates it (scenario multibyte)'),
  },
  {
    fact: 'kd.exe without stdin spins and eats memory',
    source: 'kd-behaviour §0.2 rule 9',
    evidence: nobody('kd.exe is not redistributable'),
  },
  {
    fact: 'ntsd.ini in the working folder is run at start',
    source: 'kd-behaviour §1.1',
    evidence: nobody('kd.exe is not redistributable'),
  },
  {
    fact: 'Extensions (`!process`, `!analyze`, …)',
    source: 'kd-behaviour §10',
    evidence: nobody('the engine’s package holds no extension DLLs; the simulator follows transcripts'),
  },
  {
    fact: 'COM, USB and named-pipe transports; elevation; Store aliases',
    source: 'kd-behaviour §1.2, §1.4',
    evidence: nobody('needs Windows and its drivers'),
  },
];

/** What turned out to be otherwise than the documents say. */
export const WRONG: readonly string[] = [
  'Only a quote at the start of the text of `.echo` quotes (kd-behaviour §7.1): any quote does, and `.echo a "b; g` runs nothing.',
  'Packets that overtake each other print `Received an out of order encrypted packet. Packet dropped.` and the `Bad packet sent from …` lines (engine §2 knows these only for a wrong key).',
  '`~1s` prints the break-in box again (engine §5): only for the processor that stands at the break; another one prints nothing.',
  '`kb` begins with `Child-SP` (kd-behaviour §10.4): the engine’s `kb` begins with `RetAddr`; `kv` has both.',
  '`kc` prints displacements: it prints bare names.',
  'The parity flag of `r` on x64: the engine prints `po` where the bit is set and `pe` where it is not.',
  '`bp` with an expression that cannot be resolved announces a deferred breakpoint: `bu` does the same without a word.',
  'The breakpoint of `g address` stays until it is hit: it is gone with the next stop, wherever that is.',
  '`dds` on a 64-bit target shows values of 4 bytes.',
  "`Missing ')'` for an open parenthesis (kd-behaviour §8.1): `Syntax error at '<EOL>'`.",
  '`.servers` begins its lines with `Debugger Server - ` (kd-behaviour §9.1): it prints the command lines of clients, as `.server` does.',
  'A password that is not right is `0x80004005` (kd-behaviour §9.2): it is `0x80010007`.',
];
