/** The words for a session's state, its last event and who caused its halt. Data and switches, no VS Code. */
import type { Level } from '../host/protocol.ts';
import type { HaltCause, KdState, LastEvent, SessionStatus } from '../kd/model.ts';
import type { Translate } from './l10n.ts';

/** Codicon of a state and the theme colour it is drawn in. */
export interface StateIcon {
  readonly id: string;
  readonly color?: string;
}

export const STATE_ICONS: Readonly<Record<KdState, StateIcon>> = {
  starting: { id: 'loading~spin' },
  waiting: { id: 'debug-disconnect' },
  running: { id: 'debug-start', color: 'debugIcon.startForeground' },
  breaking: { id: 'loading~spin' },
  broken: { id: 'debug-pause', color: 'debugIcon.pauseForeground' },
  busy: { id: 'loading~spin', color: 'debugIcon.pauseForeground' },
  asking: { id: 'question', color: 'list.warningForeground' },
  ended: { id: 'debug-stop', color: 'disabledForeground' },
};

/** One or two words for what the target is doing. */
export function stateWord(status: Pick<SessionStatus, 'state' | 'linked'>, t: Translate): string {
  switch (status.state) {
    case 'starting':
      return t('starting');
    case 'waiting':
      return status.linked ? t('linked') : t('waiting for target');
    case 'running':
      return t('running');
    case 'breaking':
      return t('breaking in');
    case 'broken':
      return t('halted');
    case 'busy':
      return t('busy');
    case 'asking':
      return t('asks for input');
    case 'ended':
      return t('ended');
  }
}

/** kd writes `000000d1`, `d1` or `0xD1`. */
function hex(code: string): string {
  const digits = /^(?:0x)?0*([0-9a-f]+)$/i.exec(code)?.[1];
  return digits === undefined ? code : `0x${digits.toUpperCase()}`;
}

/** Short name of an event: `Breakpoint 2`, `Bugcheck 0xD1`. */
export function eventWords(event: LastEvent, t: Translate): string {
  switch (event.kind) {
    case 'break-in':
      return t('Break-in');
    case 'breakpoint':
      return t('Breakpoint {0}', event.number);
    case 'exception':
      return event.chance === 'first'
        ? t('Exception {0} (first chance)', event.code)
        : t('Exception {0} (second chance)', event.code);
    case 'bugcheck':
      return t('Bugcheck {0}', hex(event.code));
    case 'step':
      return t('Step');
    case 'module-load':
      return event.module === undefined ? t('Module load') : t('Module load: {0}', event.module);
    case 'reboot':
      return t('Reboot');
    case 'hard-reset':
      return t('Hard reset');
    case 'link-lost':
      return t('Link lost');
    case 'connected':
      return t('Connected');
    case 'stop':
      return t('Stop');
  }
}

/** What agents may do at a level. */
export function levelWords(level: Level, t: Translate): string {
  switch (level) {
    case 'inspect':
      return t('Agents only read the target.');
    case 'debug':
      return t('Agents also set breakpoints, step, write memory and registers, and reboot the guest.');
    case 'unrestricted':
      return t('Agents also reach programs, code, files and the network of this machine.');
  }
}

/** Who halted the guest. */
export function causeWords(cause: HaltCause, t: Translate): string {
  switch (cause.kind) {
    case 'agent':
      return t('{0} (agent)', cause.name);
    case 'person':
      return cause.name;
    case 'host':
      return t('KD-MCP');
    case 'target':
      return t('the target');
    case 'unknown':
      return t('unknown');
  }
}
