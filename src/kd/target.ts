/**
 * What is known about the target and its last stop, folded from console events. Pure.
 */
import type { ConsoleEvent } from './events.ts';
import type { TargetEvent, TargetInfo } from './model.ts';

/** `info` with what `event` adds to it. */
export function withEvent(info: TargetInfo, event: ConsoleEvent): TargetInfo {
  switch (event.kind) {
    case 'linked':
      return { ...info, linkAddress: event.address };
    case 'target':
      return {
        ...info,
        build: event.build,
        architecture: event.architecture,
        bootDebugger: event.bootDebugger,
      };
    case 'kernel':
      return {
        ...info,
        description: event.description,
        ...(event.processors === undefined ? {} : { processors: event.processors }),
        bootDebugger: event.description.includes('Boot Debugger'),
      };
    case 'kernel-base':
      return { ...info, kernelBase: event.base };
    default:
      return info;
  }
}

/** The lines since the target was resumed, as far as they explain why it stopped. Pure; start with `undefined`. */
export interface StopEvidence {
  readonly event: TargetEvent;
  /** kd's line that says it best. */
  readonly text: string;
}

/** `evidence` after another event and the line that told it. */
export function evidenceOf(
  evidence: StopEvidence | undefined,
  event: ConsoleEvent,
  line: string,
): StopEvidence | undefined {
  switch (event.kind) {
    case 'break-exception':
      // After `Fatal System Error` the same line is the stop of the bugcheck.
      if (evidence?.event.kind === 'bugcheck') return evidence;
      return { event: { kind: 'exception', code: event.code, chance: event.chance, text: line }, text: line };
    case 'break-in-box':
      return { event: { kind: 'break-in' }, text: evidence?.text ?? line };
    case 'break-in-location':
      // Alone it is the place of an old break-in: a guest that an earlier debugger left frozen (engine.md §6).
      if (evidence === undefined) return { event: { kind: 'break-in' }, text: line };
      // Quiet mode (`sqe`, `-kqm`) leaves the box out.
      return evidence.event.kind === 'exception' ? { ...evidence, event: { kind: 'break-in' } } : evidence;
    case 'exception':
      return {
        event: { kind: 'exception', code: event.code, chance: event.chance, text: event.text },
        text: line,
      };
    case 'breakpoint':
      return { event: { kind: 'breakpoint', number: event.number }, text: line };
    case 'load-location':
      return { event: { kind: 'module-load' }, text: line };
    case 'fatal-error':
      return { event: { kind: 'bugcheck', code: event.code, args: [] }, text: line };
    case 'fatal-arguments':
      if (evidence?.event.kind !== 'bugcheck') return evidence;
      return { ...evidence, event: { ...evidence.event, args: event.args } };
    case 'bugcheck-stop':
      if (evidence?.event.kind === 'bugcheck') return evidence;
      return { event: { kind: 'bugcheck', code: '', args: [] }, text: line };
    default:
      return evidence;
  }
}
