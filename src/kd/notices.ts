/**
 * What a user must be told when kd prints certain lines: one entry per kind of trouble, each with the next step.
 */
import type { ConsoleEvent } from './events.ts';
import type { Notice } from './model.ts';

/** The notice for an event, or undefined. `line` is kd's own line, redacted. */
export function noticeFor(
  event: ConsoleEvent,
  line: string,
): { readonly kind: Notice['kind']; readonly text: string } | undefined {
  switch (event.kind) {
    case 'wrong-key':
      return {
        kind: 'wrong-key',
        text: 'The guest sends packets that this key does not open ("Packet failed authentication"): the key differs from the one in the guest\'s dbgsettings, or another guest uses this port. Stop the session and start it with the right key.',
      };
    case 'unsupported-protocol':
      return {
        kind: 'unsupported-protocol',
        text: 'The guest speaks a KDNET version that this kd does not know: use a newer kd.exe (kd.kd_exe).',
      };
    case 'port-in-use':
      return {
        kind: 'port-in-use',
        text: `The UDP port${event.port === undefined ? '' : ` ${event.port}`} could not be bound ("${line}"): another debugger holds it, or Windows has reserved it (netsh int ipv4 show excludedportrange protocol=udp). End the other debugger, or use another port on both sides.`,
      };
    case 'open-failed':
      return {
        kind: 'open-failed',
        text: `kd could not open ${event.what}: check the name and that nothing else uses it.`,
      };
    case 'init-failed':
      return event.accessDenied
        ? {
            kind: 'needs-elevation',
            text: `Access denied ("${line}"): COM ports, Hyper-V pipes and the local kernel need an elevated session. Start VS Code or the client as administrator.`,
          }
        : { kind: 'open-failed', text: `kd could not start debugging: ${line}` };
    case 'link-trouble':
      return {
        kind: 'link-trouble',
        text: `The link to the guest is bad: kd has repeated a packet ${event.tries} times or more. It goes on by itself when the guest answers again; if not, stop the session or restart the guest.`,
      };
    case 'symbols-loading':
      return {
        kind: 'symbols-loading',
        text: 'kd loads symbols, which can take minutes the first time. break_in interrupts it.',
      };
    default:
      return undefined;
  }
}

/** For a line that some engine versions repeat for ever (field report 2). */
export const NOISE_NOTICE =
  'kd repeats a harmless line about a port connector; it is left out of the output.';

/** For a stop that nobody asked for now (kd-behaviour.md §5.3). */
export const OWED_NOTICE =
  'An earlier break request stopped the target again right after it was resumed; it was resumed once more.';
