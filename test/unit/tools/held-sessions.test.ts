import { describe, expect, it } from 'vitest';
import { HeldSessions } from '../../../src/tools/held-sessions.ts';
import { FakeSession, FakeSessions } from '../../contract/fake-sessions.ts';

describe('held sessions', () => {
  it('stay connected between calls, so that an agent that thinks is not taken for gone', async () => {
    const all = new FakeSessions();
    all.add(new FakeSession('net-50000'));
    let opened = 0;
    const open = all.open.bind(all);
    all.open = (id) => {
      opened += 1;
      return open(id);
    };
    const held = new HeldSessions(all);
    const session = await held.open('net-50000');
    expect(await held.open()).toBe(session);
    expect(await held.open('NET-50000')).toBe(session);
    expect(opened).toBe(1);
  });

  it('are joined anew when their connection was lost, and the loss is told', async () => {
    const all = new FakeSessions();
    const first = all.add(new FakeSession('net-50000'));
    let lost = 0;
    const held = new HeldSessions(all, () => {
      lost += 1;
    });
    await held.open();
    first.drop();
    expect(lost).toBe(1);
    const second = all.add(new FakeSession('net-50000'));
    expect(await held.open()).toBe(second);
  });

  it('are let go of at the end, which is no loss', async () => {
    const all = new FakeSessions();
    const session = all.add(new FakeSession('net-50000'));
    let lost = 0;
    const held = new HeldSessions(all, () => {
      lost += 1;
    });
    await held.open();
    held.dispose();
    session.drop();
    expect(session.connected).toBe(false);
    expect(lost).toBe(0);
  });

  it('never name one session when several live', async () => {
    const all = new FakeSessions();
    all.add(new FakeSession('net-50000'));
    const held = new HeldSessions(all);
    await held.open();
    all.add(new FakeSession('com-1'));
    await expect(held.open()).rejects.toThrow(/net-50000, com-1/);
  });
});
