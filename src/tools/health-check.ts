/** health_check: is everything there that a session needs? Runs even if the configuration is broken. */
import { formatReply } from './reply.ts';
import type { Tool } from './tool.ts';

export const healthCheckTool: Tool = {
  name: 'health_check',
  title: 'Health check',
  description:
    'Check the set-up: configuration, kd.exe, state file, port, sessions, and what to do about each problem. For when something does not work; not needed before other calls.',
  args: {},
  effect: 'read',
  needsConfig: false,
  run: async (_args, context) => {
    // Loaded when asked for: what looks for kd.exe and ports is the heaviest part of serve.
    const { runChecks } = await import('./checks.ts');
    const lines: string[] = [];
    let bad = 0;
    for await (const check of runChecks(context)) {
      context.progress(check.name);
      if (check.verdict === 'bad') bad += 1;
      lines.push(`${check.verdict === 'bad' ? 'PROBLEM' : check.verdict} · ${check.name}: ${check.text}`);
    }
    return formatReply({
      first: bad === 0 ? 'healthy' : `${bad} ${bad === 1 ? 'problem' : 'problems'}`,
      remarks: lines,
    });
  },
};
