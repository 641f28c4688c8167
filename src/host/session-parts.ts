/** What a session is made of besides its engine: its clients, and what never changes about it. */
import type { Actor } from '../kd/model.ts';
import type { ClientIdentity, OutputRole, SessionInfo } from './protocol.ts';

/** A client, as the session sees it. */
export interface ClientLink {
  readonly identity: ClientIdentity;
  readonly since: number;
  /** {@link SessionCore.info} is another one now. */
  changed(): void;
  announce(text: string, by: Actor): void;
  appended(from: number, to: number, text: string, role: OutputRole): void;
}

/** What never changes about a session. */
export interface SessionFacts {
  readonly id: string;
  readonly title: string;
  readonly transport: SessionInfo['transport'];
  readonly startedAt: number;
  readonly startedBy: ClientIdentity;
  readonly guestHost?: string;
  readonly kdProgram: string;
  readonly commandIndex: string;
  /** As the configuration gave it to kd. */
  readonly symbolPath?: string;
  /** The first halt is the one that a session which died left behind. */
  readonly rescues?: boolean;
  /** Is this the session's KDNET key? The key itself is nobody's business. */
  readonly hasKey?: (key: string) => boolean;
}

/** The engine's remarks and the host's own begin like this. */
export const REMARK = '[KD-MCP]';

/** The host, when it acts by itself. */
export const HOST_ACTOR: Actor = { kind: 'host', name: 'KD-MCP' };
