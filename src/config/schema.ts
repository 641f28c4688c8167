/**
 * Every setting of KD-MCP: name, type, default and meaning, once.
 *
 * The keys are those of the Python predecessor, so that its files work as they are. A YAML file, the environment
 * and VS Code settings are three readers of this schema (`readers.ts`); `docs/settings.md` is made from it. To add a
 * setting, add one entry here and run `npm run docs`.
 */
import * as z from 'zod';
import { LEVELS } from './levels.ts';
import { deniedPattern } from './pattern.ts';
import {
  choice,
  flag,
  LONGEST_CALL_SEC,
  list,
  numeric,
  type SettingMeta,
  settingMeta,
  text,
} from './setting.ts';
import { TRANSPORTS } from './transports.ts';

const serverGone = 'no debugger server is needed any more: every client shares one session.';

const KdSchema = z.strictObject({
  kd_exe: text(
    {
      meaning:
        'The debugger: kd.exe, the folder it is in, or a windbg.exe beside it. Without it kd.exe is searched for: Windows kits, registry, Microsoft Store, PATH.',
      defaultText: 'found by itself',
    },
    'path',
  ),
  windbg_exe: text(
    {
      meaning:
        'WinDbg, for *KD: Open in WinDbg*, `kd-mcp share` and `start_kd(debugger="windbg")`. Without it the one of the Microsoft Store, then windbg.exe beside kd.exe.',
      defaultText: 'found by itself',
    },
    'path',
  ),
  symbol_path: text(
    {
      meaning:
        'Symbol path given to kd with `-y`, e.g. `srv*C:\\symbols*https://msdl.microsoft.com/download/symbols`.',
    },
    'symbol-path',
  ),
  default_transport: choice(
    TRANSPORTS,
    'net',
    'How `start_kd` reaches the target when the call does not say.',
  ),
  default_port: numeric(
    {
      default: 50000,
      minimum: 1024,
      maximum: 65535,
      meaning: 'KDNET port of `start_kd` when the call names none.',
    },
    'integer',
  ),
  default_key: text({
    secret: true,
    meaning: 'KDNET key of `start_kd` when the call names none. Never shown; not a VS Code setting.',
  }),
  default_target: text({
    meaning:
      '`target=` of `start_kd` when the call names none: kd then contacts the guest, not the other way round.',
  }),
  default_kdnet: text({
    secret: true,
    meaning:
      'A whole connection for `start_kd` when the call names none: `net:port=…,key=…`, a `windbg -k …` line or the output of kdnet.exe. Never shown; not a VS Code setting.',
  }),
  state_file: text(
    {
      meaning:
        "The file WinRM-MCP's `configure_kdnet()` writes and `start_from_state` reads. Both servers need the same path.",
      defaultText: '`C:\\mcp-state\\kd-session.json`; not on Windows: `~/mcp-state/kd-session.json`',
    },
    'path',
  ),
  startup_timeout_sec: numeric(
    {
      default: 30,
      minimum: 1,
      maximum: 600,
      meaning: 'How long kd may take to its first words, in seconds.',
    },
    'number',
  ),
  command_timeout_sec: numeric(
    {
      default: 30,
      minimum: 1,
      clampTo: LONGEST_CALL_SEC,
      meaning: `How long \`kd_command\` waits for a command, in seconds; at most ${LONGEST_CALL_SEC}. The command goes on afterwards.`,
    },
    'number',
  ),
  continue_wait_sec: numeric(
    {
      default: 5.0,
      minimum: 0,
      clampTo: LONGEST_CALL_SEC,
      meaning: `How long \`continue_go\` watches the target after it runs, in seconds; at most ${LONGEST_CALL_SEC}.`,
    },
    'number',
  ),
  output_tail_chars: numeric(
    {
      default: 200000,
      minimum: 1,
      meaning:
        'The most that `read_output(tail_chars)` looks back, in characters. A reply holds 8 KB at the most.',
    },
    'integer',
  ),
  auto_initial_break: flag({
    default: false,
    meaning: 'Stop the target as soon as it connects, unless the call says otherwise (`break_on_connect`).',
  }),
  workdir: text(
    {
      meaning: 'Folder in which each kd gets an empty working folder of its own.',
      defaultText: "in KD-MCP's data folder",
    },
    'path',
  ),
  orphan_grace_sec: numeric(
    {
      default: 60,
      minimum: 1,
      maximum: 86400,
      meaning: 'With nobody connected for so many seconds, a halt that an agent caused is resumed.',
    },
    'number',
  ),
  halt_lease_sec: numeric(
    {
      default: 300,
      minimum: 1,
      maximum: 86400,
      meaning:
        'A halt that an agent caused is resumed after so many seconds without activity, unless a person pinned it.',
    },
    'number',
  ),
  server_port: numeric(
    {
      default: 50055,
      minimum: 0,
      maximum: 65535,
      meaning: 'Was the port of the debugger server.',
      obsolete: serverGone,
    },
    'integer',
  ),
  remote_server: text({ meaning: 'Was the address of the debugger server.', obsolete: serverGone }),
  server_state_file: text({ meaning: 'Was the state file of the debugger server.', obsolete: serverGone }),
  server_startup_wait_sec: numeric(
    { default: 1, minimum: 0, meaning: 'Was the wait for the debugger server.', obsolete: serverGone },
    'number',
  ),
});

// An empty pattern would forbid every line.
const patternEntry = z
  .string()
  .min(1)
  .superRefine((entry, context) => {
    try {
      deniedPattern(entry);
    } catch (error) {
      context.addIssue({
        code: 'custom',
        message: `not a regular expression: ${error instanceof Error ? error.message : String(error)}`,
      });
    }
  });

const SecuritySchema = z.strictObject({
  level: choice(
    LEVELS,
    'debug',
    'What an agent may do in a session started with this configuration. `inspect`: only read the target. `debug`: also breakpoints, stepping, writing memory and registers, reboot and crash of the guest. `unrestricted`: also programs, code, files and network of the host. An agent whose own configuration says less gets less, until a person raises the level of the session.',
    'security.level',
  ),
  allowed_command_prefixes: list(
    'If not empty, each command of a line sent to kd must begin with one of these texts (case does not matter).',
    z.string(),
  ),
  denied_patterns: list(
    'A line that contains one of these texts (case does not matter) or matches a `/regular expression/` is not sent to kd.',
    patternEntry,
  ),
});

/** The whole configuration. Unknown keys are refused. */
export const ConfigSchema = z.strictObject({
  kd: KdSchema.prefault({}),
  security: SecuritySchema.prefault({}),
});

/** The resolved configuration: the shape and names of the YAML file, all defaults filled in, paths absolute. */
export type Config = z.output<typeof ConfigSchema> & { readonly kd: { readonly state_file: string } };

/** The `security:` section of {@link Config}. */
export type SecurityConfig = Config['security'];

/** One key of the configuration. */
export interface Setting extends SettingMeta {
  readonly section: 'kd' | 'security';
  readonly key: string;
  readonly default: unknown;
}

function settingsOf(section: 'kd' | 'security', shape: Readonly<Record<string, z.ZodType>>): Setting[] {
  const defaults: Readonly<Record<string, unknown>> =
    section === 'kd' ? KdSchema.parse({}) : SecuritySchema.parse({});
  return Object.entries(shape).map(([key, type]) => {
    const meta = settingMeta.get(type);
    if (meta === undefined) throw new Error(`Setting ${section}.${key} has no description`);
    return { ...meta, section, key, default: defaults[key] };
  });
}

/** All settings, in the order of the reference. */
export const SETTINGS: readonly Setting[] = [
  ...settingsOf('kd', KdSchema.shape),
  ...settingsOf('security', SecuritySchema.shape),
];
