/** Eight sessions at once, used by random commands of several clients: each answer is its own session's. */
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Session } from '../../src/client/sessions.ts';
import { createRig, PERSON, type Rig, textOf } from './rig.ts';

const SESSIONS = 8;
const COMMANDS = 1_000;

let rig: Rig;
beforeEach(async () => {
  rig = await createRig();
});
afterEach(() => rig.dispose());

/** Eight guests, each with two clients: an agent and a person. */
async function start(): Promise<readonly (readonly Session[])[]> {
  const agents = rig.sessions();
  const persons = rig.sessions(PERSON);
  return Promise.all(
    Array.from({ length: SESSIONS }, async () => {
      const { session } = await agents.start({ connection: { transport: 'simulator', scenario: 'idle' } });
      await session.breakIn(20_000);
      return [session, await persons.open(session.id)];
    }),
  );
}

/** One command of one session, and what it must answer there: the pseudo-registers are each kd's own. */
interface Model {
  readonly memory: Map<number, number>;
}

type Act =
  | { readonly kind: 'say' }
  | { readonly kind: 'keep'; readonly register: number; readonly value: number }
  | { readonly kind: 'recall'; readonly register: number };

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.constant({ kind: 'say' } as const),
  fc.record({
    kind: fc.constant('keep' as const),
    register: fc.integer({ min: 0, max: 9 }),
    value: fc.integer({ min: 1, max: 0xffff }),
  }),
  fc.record({ kind: fc.constant('recall' as const), register: fc.integer({ min: 0, max: 9 }) }),
);

function lineOf(one: Act, tag: string): string {
  switch (one.kind) {
    case 'say':
      return `.echo ${tag}`;
    case 'keep':
      return `r $t${one.register}=0x${one.value.toString(16)}`;
    case 'recall':
      return `? @$t${one.register}`;
  }
}

function answerTo(one: Act, tag: string, { memory }: Model): string {
  switch (one.kind) {
    case 'say':
      return `${tag}\n`;
    case 'keep':
      memory.set(one.register, one.value);
      return '';
    case 'recall': {
      const value = memory.get(one.register) ?? 0;
      const hex = value.toString(16).padStart(16, '0');
      return `Evaluate expression: ${value} = ${hex.slice(0, 8)}\`${hex.slice(8)}\n`;
    }
  }
}

test('1,000 random commands across 8 sessions do not mix', async () => {
  const sessions = await start();
  const [plan = []] = fc.sample(
    fc.array(fc.record({ session: fc.nat(SESSIONS - 1), client: fc.nat(1), act }), {
      minLength: COMMANDS,
      maxLength: COMMANDS,
    }),
    { numRuns: 1, seed: 8 },
  );
  const models = Array.from({ length: SESSIONS }, (): Model => ({ memory: new Map() }));
  // In order within a session, all sessions at the same time.
  const lanes = models.map((model, index) => ({
    model,
    index,
    steps: plan.flatMap((step, number) => (step.session === index ? [{ ...step, number }] : [])),
  }));
  await Promise.all(
    lanes.map(async ({ model, index, steps }) => {
      for (const { act: one, client, number } of steps) {
        const tag = `session-${index}-command-${number}`;
        const session = sessions[index]?.[client];
        if (session === undefined) throw new Error('there are two clients');
        const { results } = await session.command([lineOf(one, tag)], { timeoutMs: 20_000 });
        const [result] = results;
        expect(result?.outcome).toBe('done');
        expect(result && (await textOf(session, result))).toBe(answerTo(one, tag, model));
      }
    }),
  );
  // Nobody's words are in anybody else's transcript.
  for (const [index, [session]] of sessions.entries()) {
    if (session === undefined) continue;
    const text = await textOf(session, { from: 0, to: (await session.refresh()).transcriptEnd });
    const tags = new Set([...text.matchAll(/session-(\d)-command/g)].map((match) => match[1]));
    expect([...tags]).toEqual([String(index)]);
  }
});
