/** Errors of the protocol. Each says what happened and names the next step. */
import { ResponseError } from 'vscode-jsonrpc';
import type { CommandRef, SessionStatus } from '../kd/model.ts';
import type { SessionCore } from './core.ts';
import { type ClientIdentity, ErrorCode } from './protocol.ts';

export function refuse(code: keyof typeof ErrorCode, message: string): ResponseError<void> {
  return new ResponseError(ErrorCode[code], message);
}

/** @throws when kd is gone or somebody is ending the session. */
export function requireAlive(core: SessionCore): void {
  const { state, exit } = core.status;
  if (state === 'ended') {
    throw refuse(
      'ended',
      `kd has ended${exit === undefined ? '' : `: ${exit.reason}`}. Start a new session.`,
    );
  }
  if (core.stopping) throw refuse('ended', 'The session is being stopped. Start a new one.');
}

/** @throws when a person has control and this client is an agent. */
export function requireControl(core: SessionCore, client: ClientIdentity): void {
  const { controlledBy } = core.keeper.state;
  if (controlledBy === undefined || client.kind === 'person') return;
  throw refuse(
    'controlled',
    `${controlledBy} has taken control of this session: you may read its state and output, and wait for a break. Ask ${controlledBy} to give control back.`,
  );
}

/** @throws when the client is no person. */
export function requirePerson(client: ClientIdentity, what: string): void {
  if (client.kind !== 'person') throw refuse('controlled', `Only a person can ${what}.`);
}

/** Why a command cannot be sent now, with the next step; undefined when it can. */
export function commandRefusal(status: SessionStatus, answer: boolean): string | undefined {
  switch (status.state) {
    case 'broken':
    case 'busy':
      return answer
        ? 'kd asks nothing now, so there is nothing to answer. Send it as a command (without answer).'
        : undefined;
    case 'asking':
      return answer
        ? undefined
        : `kd asks for input: ${status.question ?? '(no text)'}. Answer it (answer: true) or cancel it with a break-in.`;
    case 'running':
      return 'The target is running; kd takes commands only while it is halted. Break in first, or send the command with if_running: "break_and_resume".';
    case 'breaking':
      return 'A break was sent and the target has not stopped yet. Wait for the break, then send the command.';
    case 'waiting':
      return status.linked
        ? 'The link to the target is up, but the target has not stopped yet. Break in first.'
        : 'kd is waiting: no target is connected. Start the target, or restart it if it runs, then break in.';
    case 'starting':
      return 'kd is still starting. Ask again in a moment.';
    case 'ended':
      return 'kd has ended. Start a new session.';
  }
}

/** `command #7 "!process 0 7" of claude-code has been running for 12 s`. */
export function describeRunning(command: CommandRef | undefined, now: number): string {
  if (command === undefined) return 'other commands were sent before';
  const seconds = Math.max(0, Math.round((now - command.since) / 1000));
  return `command #${command.seq} "${command.text}" of ${command.by.name} has been running for ${seconds} s`;
}
