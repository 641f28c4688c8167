/** A session core over a fake engine. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CancellationToken } from 'vscode-jsonrpc';
import type { Clock } from '../../../src/host/clock.ts';
import { systemClock } from '../../../src/host/clock.ts';
import { type CommandParams, runCommands } from '../../../src/host/commands.ts';
import { SessionCore } from '../../../src/host/core.ts';
import { type ClientIdentity, type Limits, NO_LISTS } from '../../../src/host/protocol.ts';
import { performDuty } from '../../../src/host/release.ts';
import type { ClientLink } from '../../../src/host/session-parts.ts';
import { Transcript } from '../../../src/host/transcript.ts';
import type { KdState } from '../../../src/kd/model.ts';
import { FakeEngine } from './fake-engine.ts';

export const AGENT: ClientIdentity = { kind: 'agent', name: 'agent' };
export const OTHER: ClientIdentity = { kind: 'agent', name: 'other' };
export const PERSON: ClientIdentity = { kind: 'person', name: 'Minsu' };
export const NEVER = CancellationToken.None;
export const RULES = { leaseMs: 300_000, graceMs: 60_000 };

export interface CoreRig {
  readonly core: SessionCore;
  readonly engine: FakeEngine;
  readonly folder: string;
  command(
    client: ClientIdentity,
    params: Partial<CommandParams> & { lines: readonly string[] },
  ): ReturnType<typeof runCommands>;
  client(identity: ClientIdentity): ClientLink;
  text(): string;
  dispose(): void;
}

/** At level `unrestricted`, because most tests send words that no policy knows. */
export function coreRig(
  state: KdState = 'running',
  clock: Clock = systemClock,
  limits: Partial<Limits> = {},
): CoreRig {
  const folder = mkdtempSync(join(tmpdir(), 'kdc-'));
  const core: SessionCore = new SessionCore({
    facts: {
      id: 'net-50000',
      title: 'KDNET port 50000',
      transport: 'net',
      startedAt: 1,
      startedBy: AGENT,
      kdProgram: 'kd.exe',
      commandIndex: join(folder, 'commands.jsonl'),
    },
    transcript: new Transcript(folder, join(folder, 'transcript.log')),
    rules: RULES,
    limits: { level: 'unrestricted', security: NO_LISTS, ...limits },
    clock,
    onDuty: (duty) => void performDuty(core, duty, RULES),
    onRecord: () => {},
    onError: () => {},
  });
  const engine = new FakeEngine(core.events, state);
  core.attachEngine(engine);
  return {
    core,
    engine,
    folder,
    command: (client, params) => runCommands(core, client, { timeoutMs: 5_000, ...params }, NEVER),
    client: (identity) => {
      const link: ClientLink = {
        identity,
        since: 0,
        changed: () => {},
        announce: () => {},
        appended: () => {},
      };
      core.connect(link);
      return link;
    },
    text: () => core.transcript.read(0, 100_000).text,
    dispose: () => {
      core.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Lets everything happen that needs no time. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await new Promise((resolve) => setImmediate(resolve));
}
