/**
 * The sentences of the programs below name what an agent calls and what stands in the configuration file. A person in
 * VS Code has the same things under other names: these.
 */
import type { Translate } from './l10n.ts';

/** Setting of the configuration file: `kd.state_file` is `kdMcp.stateFile` here. */
const SETTING = /\bkd\.([a-z]+(?:_[a-z]+)+)\b/g;
/** A tool's name, with the arguments of an example call. */
const CALL = /\b([a-z]+(?:_[a-z]+)+)(?:\([^()]*\))?/g;
const PROGRAM =
  /"?\bkd-mcp (rescue|doctor|sessions|log|stop|attach)\b(?: (?:net|com|dump|sim|pipe|usb|tcp)-[\w.-]+)?(?: --transcript)?"?/g;

export function forPeople(text: string, t: Translate): string {
  return text
    .replace(
      SETTING,
      (_, name: string) =>
        `kdMcp.${name.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase())}`,
    )
    .replace(PROGRAM, (call, name: string) => quoted(subcommandTitle(name, t)) ?? call)
    .replace(CALL, (call, name: string) => quoted(toolTitle(name, t)) ?? call);
}

const quoted = (title: string | undefined): string | undefined =>
  title === undefined ? undefined : `“${title}”`;

/** What does in VS Code what the tool does for an agent. */
export function toolTitle(name: string, t: Translate): string | undefined {
  switch (name) {
    case 'health_check':
      return t('KD Doctor');
    case 'start_from_state':
      return t('Start from State File');
    case 'start_kd':
      return t('Start…');
    case 'list_sessions':
      return t('KD Sessions');
    case 'kd_command':
      return t('Run Command…');
    case 'break_in':
      return t('Break');
    case 'continue_go':
      return t('Go');
    case 'wait_for_break':
      return t('KD Sessions');
    case 'resume_for_winrm':
      return t('Resume for WinRM');
    case 'read_output':
      return t('Open Transcript');
    case 'stop_kd':
      return t('Stop Session (Resume Guest)');
    default:
      return undefined;
  }
}

function subcommandTitle(name: string, t: Translate): string | undefined {
  switch (name) {
    case 'rescue':
      return t('Rescue Frozen Guest');
    case 'doctor':
      return t('KD Doctor');
    case 'sessions':
      return t('KD Sessions');
    case 'log':
      return t('Open Transcript');
    case 'stop':
      return t('Stop Session (Resume Guest)');
    case 'attach':
      return t('Open Terminal');
    default:
      return undefined;
  }
}
