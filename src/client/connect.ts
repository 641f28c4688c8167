/** Getting a socket to a host, and what it means when there is none or the host says no. */
import { connect, type Socket } from 'node:net';
import { ErrorCodes, ResponseError } from 'vscode-jsonrpc/node';
import { errorCode } from '../host/files.ts';
import { ErrorCode, type SessionRecord } from '../host/protocol.ts';
import { NoAnswer } from './no-answer.ts';
import { SessionError } from './sessions.ts';

/** How long a host may take to answer the first request. */
export const HELLO_TIMEOUT_MS = 10_000;

type Refusal = 'wrongState' | 'controlled' | 'badCommand' | 'badArgument' | 'ended';

/** The host refused a request. `code` says which kind of reason; the message is for the user. */
export class RequestRefused extends SessionError {
  readonly code: Refusal | undefined;

  constructor(code: Refusal | undefined, message: string) {
    super(message);
    this.code = code;
  }
}

/** @throws NoAnswer that says why. */
export function openSocket(record: SessionRecord): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(record.socket);
    const timer = setTimeout(() => {
      socket.destroy();
      reject(
        new NoAnswer(`Session ${record.id} does not answer (process ${record.hostPid} is there). Try again.`),
      );
    }, HELLO_TIMEOUT_MS);
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.off('error', failed);
      socket.on('error', () => {});
      resolve(socket);
    });
    const failed = (error: Error): void => {
      clearTimeout(timer);
      reject(new NoAnswer(connectFailure(record, errorCode(error)), errorCode(error)));
    };
    socket.once('error', failed);
  });
}

function connectFailure(record: SessionRecord, code: string | undefined): string {
  if (code === 'EACCES' || code === 'EPERM') {
    return process.platform === 'win32'
      ? `Session ${record.id} is an elevated session: start VS Code (or the MCP client) as administrator to join it.`
      : `Session ${record.id} belongs to another user: only that user can join it.`;
  }
  return `Session ${record.id} does not answer (${code ?? 'no reason known'}; process ${record.hostPid} is there). Try again in a moment.`;
}

/** The host's refusal, or undefined when the connection ended before there was an answer. */
export function refusalOf(error: unknown): RequestRefused | undefined {
  if (!(error instanceof ResponseError) || error.code === ErrorCodes.PendingResponseRejected)
    return undefined;
  if (error.code === ErrorCodes.MethodNotFound) {
    return new RequestRefused(
      undefined,
      'The session was started by an older version of KD-MCP, which does not know this request. Stop the session and start it again.',
    );
  }
  const kinds = Object.entries(ErrorCode) as readonly [Refusal, number][];
  return new RequestRefused(kinds.find(([, code]) => code === error.code)?.[0], error.message);
}
