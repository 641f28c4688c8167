/** Starts a session, says so, and waits to be killed. Arguments: home, start options as JSON. */
import { join } from 'node:path';
import { createSessions } from '../../../src/client/registry.ts';

const [home = '', start = '{}'] = process.argv.slice(2);
const sessions = createSessions({
  home,
  identity: { kind: 'agent', name: 'short-lived' },
  program: { command: process.execPath, script: join(import.meta.dirname, 'app', 'cli.js') },
});
const { session } = await sessions.start(JSON.parse(start));
process.stdout.write(`${session.id}\n`);
