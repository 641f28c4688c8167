import { describe, expect, it } from 'vitest';
import { Rescuer } from '../../../src/tools/rescuer.ts';
import { FakeSessions } from '../../contract/fake-sessions.ts';

describe('the rescuer', () => {
  it('reports what it did, and what only a person can do', async () => {
    const rescuer = new Rescuer(new FakeSessions(), async () => [
      {
        id: 'net-50000',
        outcome: 'resumed',
        detail: 'The guest of session net-50000 was frozen and runs again.',
      },
      { id: 'net-50001', outcome: 'ask', detail: 'Minsu halted it.' },
    ]);
    rescuer.look();
    await rescuer.idle;
    expect(rescuer.reports).toEqual([
      'rescue: The guest of session net-50000 was frozen and runs again.',
      'rescue: Minsu halted it. A person can run: kd-mcp rescue net-50001',
    ]);
  });

  it('does one after the other, and outlives a failure', async () => {
    const steps: string[] = [];
    const rescuer = new Rescuer(new FakeSessions(), async () => {
      steps.push('begin');
      await new Promise((resolve) => setImmediate(resolve));
      steps.push('end');
      throw new Error('no');
    });
    rescuer.look();
    rescuer.look();
    await rescuer.idle;
    expect(steps).toEqual(['begin', 'end', 'begin', 'end']);
    expect(rescuer.reports).toEqual([]);
  });
});
