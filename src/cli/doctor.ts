/** `kd-mcp doctor`: is everything there? Exit code 1 when something must be mended. */
import { runChecks } from '../tools/checks.ts';
import { openSessions, readSetup } from './context.ts';
import { personIdentity } from './person.ts';
import type { GlobalOptions } from './program.ts';

const SIGN = { ok: 'ok     ', warn: 'warning', bad: 'PROBLEM' } as const;

export async function doctor(options: GlobalOptions): Promise<number> {
  const setup = readSetup(options);
  const sessions = openSessions(setup, personIdentity());
  try {
    let bad = false;
    for await (const check of runChecks({ ...setup, configWarnings: setup.warnings, sessions })) {
      bad ||= check.verdict === 'bad';
      process.stdout.write(
        `${SIGN[check.verdict]}  ${check.name}: ${check.text.replaceAll('\n', '\n         ')}\n`,
      );
    }
    return bad ? 1 : 0;
  } finally {
    sessions.dispose();
  }
}
