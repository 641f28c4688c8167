/** JSON-RPC over a socket whose other end may go away right after its last words. */
import type { Socket } from 'node:net';
import { createMessageConnection, type MessageConnection, NullLogger } from 'vscode-jsonrpc/node';
import { createReader } from '../host/message-reader.ts';
import { createWriter } from '../host/message-writer.ts';

export interface Rpc {
  readonly connection: MessageConnection;
  /** After the socket has closed: resolves when everything that had arrived was handled. */
  drained(): Promise<void>;
}

export function createRpc(socket: Socket): Rpc {
  let handled = 0;
  const connection = createMessageConnection(createReader(socket), createWriter(socket), NullLogger, {
    messageStrategy: {
      handleMessage: (message, next) => {
        handled++;
        return next(message);
      },
    },
  });
  return {
    connection,
    // The library handles one message in each turn, so the close of the socket overtakes those that wait.
    drained: async () => {
      for (let before = -1; before !== handled; ) {
        before = handled;
        for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}
