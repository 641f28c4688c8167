import { describe, expect, it } from 'vitest';
import { Rescuer } from '../../../src/tools/rescuer.ts';
import { FakeSession, FakeSessions } from '../../contract/fake-sessions.ts';

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

  it('waits for the host of a lost session to be gone: only then its guest is known to be left', async () => {
    const sessions = new FakeSessions();
    const lost = sessions.add(new FakeSession('net-50000'));
    let looks = 0;
    const list = sessions.list.bind(sessions);
    sessions.list = async () => {
      looks += 1;
      if (looks === 3) sessions.sessions.clear();
      return list();
    };
    let left = -1;
    const rescuer = new Rescuer(sessions, async () => {
      left = sessions.sessions.size;
      return [];
    });
    rescuer.look(lost);
    await rescuer.idle;
    expect(left).toBe(0);
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
