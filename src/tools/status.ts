/** The state of a session in one line, and what must be said besides. Written for a model: English, short. */

import type { SessionInfo } from '../host/protocol.ts';
import { neverRuns } from '../kd/connection.ts';
import type { CommandRef, HaltCause, LastEvent, SessionStatus } from '../kd/model.ts';
import { oneLine } from './text.ts';

/** `net-50000 · broken (guest frozen 12 s, halted by agent X) · 0: kd> · cursor 12345`. */
export function stateLine(info: SessionInfo, now = Date.now()): string {
  const parts = [info.id, stateWords(info, now)];
  if (info.status.prompt !== undefined) parts.push(oneLine(info.status.prompt, 40));
  parts.push(`cursor ${info.transcriptEnd}`);
  return parts.join(' · ');
}

function stateWords(info: SessionInfo, now: number): string {
  const { status } = info;
  const since = seconds(now - status.since);
  switch (status.state) {
    case 'starting':
      return `starting (kd has run for ${since})`;
    case 'waiting':
      return `waiting for the target (${status.linked ? 'link is up' : 'no link yet'}, ${since}${status.breakOnConnect ? ', will break in when it connects' : ''})`;
    case 'running':
      return status.unanswered === undefined
        ? `running (for ${since})`
        : `running (for ${since}; a break asked for has had no answer for ${seconds(now - status.unanswered)})`;
    case 'breaking':
      return `breaking (asked ${since} ago, not stopped yet)`;
    case 'broken':
      return `broken (${frozen(info, now)})`;
    case 'busy':
      return `busy (${commandWords(status.command, now)}; ${frozen(info, now)})`;
    case 'asking':
      return `asking (${quoted(status.question ?? 'kd wants input')}; ${frozen(info, now)})`;
    case 'ended':
      return `ended (${oneLine(status.exit?.reason ?? 'kd is gone', 200).replace(/\.$/, '')}; target: ${status.exit?.target ?? 'unknown'})`;
  }
}

/** `guest frozen 12 s, halted by agent Copilot`. */
function frozen({ status, transport }: SessionInfo, now: number): string {
  const never = neverRuns(transport);
  if (never !== undefined) return never;
  if (!status.halt) return 'guest frozen';
  return `guest frozen ${seconds(now - status.halt.since)}, halted by ${causeWords(status.halt.cause)}`;
}

export function causeWords(cause: HaltCause): string {
  switch (cause.kind) {
    case 'agent':
    case 'person':
      return `${cause.kind} ${oneLine(cause.name, 40)}`;
    case 'host':
      return 'the session host';
    case 'target':
      return 'the target itself';
    case 'unknown':
      return 'unknown';
  }
}

export function commandWords(command: CommandRef | undefined, now = Date.now()): string {
  if (!command) return 'a command';
  const by =
    command.by.kind === 'host' ? 'the session host' : `${command.by.kind} ${oneLine(command.by.name, 40)}`;
  return `command #${command.seq} ${quoted(command.text, 60)} by ${by} for ${seconds(now - command.since)}`;
}

/** What happened last, in a few words. kd's own wording is in the output. */
export function eventWords(event: LastEvent): string {
  switch (event.kind) {
    case 'break-in':
      return 'break-in';
    case 'breakpoint':
      return `breakpoint ${event.number} hit`;
    case 'exception':
      return `exception ${oneLine(event.code, 20)} (${event.chance} chance)`;
    case 'bugcheck':
      return `bugcheck ${oneLine(event.code, 20)}(${oneLine(event.args.join(', '), 100)})`;
    case 'step':
      return 'step';
    case 'module-load':
      return event.module === undefined ? 'module load' : `module load ${oneLine(event.module, 60)}`;
    case 'reboot':
      return 'target rebooted';
    case 'hard-reset':
      return 'target was reset without notice';
    case 'link-lost':
      return 'link lost';
    case 'connected':
      return 'target connected';
    case 'stop':
      return 'stop';
  }
}

/** What the caller must know besides the state: notices, lease, control, other commands, lost breakpoints. */
export function remarksOn(info: SessionInfo, now = Date.now()): string[] {
  const { status } = info;
  const remarks: string[] = [];
  if (status.lastEvent && status.lastEvent.kind !== 'break-in') {
    remarks.push(`last event: ${eventWords(status.lastEvent)}, ${seconds(now - status.lastEvent.at)} ago`);
  }
  if (info.leaseEndsAt !== undefined && info.leaseEndsAt - now < 120_000) {
    remarks.push(
      `note: unless something is done, the guest is resumed by itself in ${seconds(info.leaseEndsAt - now)}`,
    );
  }
  if (info.pinnedBy !== undefined)
    remarks.push(`note: ${oneLine(info.pinnedBy, 40)} keeps the guest halted (pinned)`);
  if (info.controlledBy !== undefined) {
    remarks.push(
      `note: ${oneLine(info.controlledBy, 40)} has control; you may only look (read_output, wait_for_break)`,
    );
  }
  if (info.queued > 0) remarks.push(`note: ${info.queued} more commands wait in the queue`);
  if (info.lostBreakpoints.length > 0) {
    const list = info.lostBreakpoints.map((line) => quoted(line, 80)).join(', ');
    remarks.push(
      `note: ${info.lostBreakpoints.length} breakpoints were lost by a reboot: ${list}; set them again if needed`,
    );
  }
  for (const notice of status.notices) {
    if (notice.kind === 'noise') continue;
    remarks.push(`note: ${oneLine(notice.text, 300)}${notice.count > 1 ? ` (×${notice.count})` : ''}`);
  }
  return remarks;
}

export function isHalted(status: SessionStatus): boolean {
  return status.state === 'broken' || status.state === 'busy' || status.state === 'asking';
}

/** A duration in words: `0.2 s`, `12 s`, `5 min`, `3 h`. */
export function seconds(ms: number): string {
  const value = Math.max(0, ms) / 1000;
  if (value < 9.95) return `${Number(value.toFixed(1))} s`;
  if (value < 120) return `${Math.round(value)} s`;
  if (value < 7200) return `${Math.round(value / 60)} min`;
  return `${Math.round(value / 3600)} h`;
}

/** Foreign words inside a sentence of ours. */
export function quoted(text: string, limit = 160): string {
  return JSON.stringify(oneLine(text, limit));
}
