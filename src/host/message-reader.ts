/** Reads JSON-RPC messages from a socket: both ends of a session's pipe do it this way. */
import type { Socket } from 'node:net';
import { type MessageReader, SocketMessageReader } from 'vscode-jsonrpc/node';

/**
 * The library's reader without its timer for half a message. That one begins anew each time it is over and does not end
 * with the socket: closed in the middle of a message, it would keep the program alive for ever (seen in Wine).
 */
export function createReader(socket: Socket): MessageReader {
  const reader = new SocketMessageReader(socket);
  reader.partialMessageTimeout = 0;
  return reader;
}
