/** kd's commands that begin with a dot. One that is not here is refused. */
import { BARE, CONTROLS, type Entry, PARSING, READS, tableOf, WRITES } from './entry.ts';

const PROGRAM = { effects: ['host program'] } as const;
const CODE = { effects: ['host code'] } as const;
const FILE_WRITE = { effects: ['host file write'] } as const;
const FILE_READ = { effects: ['host file read'] } as const;
const NETWORK = { effects: ['network'] } as const;
const KEPT = 'read_output: the whole session is kept already.';
const LOOP =
  'run the inner command, read its output, and send one command per item: the items would become command text.';
const ASK_SYMBOLS =
  '.symfix (the public server of Microsoft); another path is set by a person: kd.symbol_path in the configuration.';

const shown = (otherwise: NonNullable<Entry['otherwise']>): Entry => ({ ...READS, only: BARE, otherwise });

const TABLE = tableOf([
  // Text and views.
  ['.echo', { effects: ['reads target'], grammar: 'text', equals: true }],
  ['.printf', { effects: ['reads target'], grammar: 'format' }],
  ['.formats', { effects: ['reads target'], grammar: 'expression' }],
  [
    '.bugcheck .lastevent .eventlog .events .time .ttime .echotime .tz .chain .scriptlist .nvlist .sxcmds .clients .hideinjectedcode',
    { ...READS, grammar: 'nothing' },
  ],
  ['.process', { ...READS, only: /^(?!.*[/-][a-z]*i)/i, otherwise: CONTROLS }],
  [
    '.thread .cxr .trap .tss .ecxr .exr .frame .kframes .context .fnent .fnret .enumtag .dml_flow .ptov',
    READS,
  ],
  ['.lines .prefer_dml .noengerr .asm .symopt', shown({ effects: ['changes parsing'], level: 'debug' })],
  ['.effmach', shown({ effects: ['changes parsing'], level: 'debug' })],
  [
    '.outmask .prompt_allow .enable_unicode .enable_long_status .force_radix_output .echotimestamps .echocpunum .typeopt .locale .ofilter .cache .logfile .extpath .exepath .kdtrans .bpsync .secure .srcpath .lsrcpath .suspend_ui .record_branches .holdmem',
    shown(PARSING),
  ],
  ['.expr', { ...READS, only: /^(?:\/q)?$/i, otherwise: PARSING }],
  ['.cls .beep', { ...READS, grammar: 'nothing' }],
  [
    '.reload',
    {
      effects: ['reads target', 'heavy on the link'],
      equals: true,
      only: /^(?:(?:\/[a-z]+\d*|-[a-z]+|[\w*!][\w.*!-]*(?:=[0-9a-fx`]+(?:,[0-9a-fx`]+)?)?)(?:\s+|$))*$/i,
    },
  ],
  // These can be asked.
  ['.bpcmds .pcmd .allow_exec_cmds .allow_bp_cmds', shown(PARSING)],
  // Control flow.
  ['.if .elsif .while', { effects: ['reads target'], grammar: 'condition' }],
  ['.for', { effects: ['reads target'], grammar: 'for' }],
  ['.do', { effects: ['reads target'], grammar: 'do' }],
  ['.else .block .catch', { effects: ['reads target'], grammar: 'block' }],
  ['.break .continue .leave', { ...READS, grammar: 'nothing' }],
  ['.foreach', { ...PARSING, saferWay: LOOP }],
  // The target.
  ['.reboot .crash', CONTROLS],
  ['.breakin .call .apply_dbp .step_filter .ignore_missing_pages .force_tb', CONTROLS],
  ['.dvalloc .dvfree .pagein .fiximports', WRITES],
  ['.readmem', { effects: ['host file read', 'writes target'] }],
  ['.kdfiles', { effects: ['host code', 'host file read'] }],
  // The end of the session.
  [
    '.kill .detach .abandon .restart .remote_exit .endsrv',
    { effects: ['ends session'], saferWay: 'stop_kd.' },
  ],
  // Programs of the host.
  [
    '.shell_quit .createdir .attach .tlist .dbgdbg .open .netuse .hh .browse .cmdtree .sound_notify .send_file .childdbg .srcnoisy .srcfix .lsrcfix',
    PROGRAM,
  ],
  ['.shell .create', { ...PROGRAM, grammar: 'line' }],
  // Code for the debugger.
  [
    '.load .loadby .unload .unloadall .setdll .extmatch .cordll .nvload .nvunload .nvunloadall .scriptload .scriptrun .scriptunload .scriptproviders .scriptdebug .settings .jdinfo .esplog .wake .opendump',
    CODE,
  ],
  // Files of the host.
  ['.logopen .logappend .logclose', { ...FILE_WRITE, saferWay: KEPT }],
  ['.dump .dumpcab .dumpexr .writemem .write_cmd_hist .write_cmd_history .copysym', FILE_WRITE],
  ['.dml_start .dml_file .xmlload', FILE_READ],
  // Networks.
  ['.server .remote .servers .noshell .netsyms .symsrv', NETWORK],
  ['.sympath', { effects: ['reads target'], grammar: 'symbols', equals: true, saferWay: ASK_SYMBOLS }],
  [
    '.symfix',
    {
      effects: ['network'],
      level: 'debug',
      only: /^\+?$/,
      otherwise: { effects: ['network', 'host file write'], saferWay: ASK_SYMBOLS },
    },
  ],
  // What later commands mean, and output that disappears.
  ['.ocommand .quit_lock .sleep .push .pop', PARSING],
]);

/** The entry of a command that begins with a dot, in lower case. */
export function metaEntry(name: string): Entry | undefined {
  return TABLE.get(name);
}

/** How many names the table holds. */
export const META_COUNT = TABLE.size;
