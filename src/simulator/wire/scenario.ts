/** Which scenarios make sense where the debugger is a real one. */
import { SCENARIOS, type Scenario, scenarioNamed } from '../console/scenarios.ts';

export type WireScenario = Scenario;

/** Scenarios about what kd itself does or where it runs: a real kd decides that. */
const CONSOLE_ONLY: ReadonlySet<string> = new Set([
  'port-busy',
  'hang',
  'hang-connect',
  'noise',
  'boot-debugger',
  'dies-after-go',
]);

export const WIRE_SCENARIOS: readonly WireScenario[] = SCENARIOS.filter((s) => !CONSOLE_ONLY.has(s.name));

/** A scenario, or why there is none of that name. */
export function wireScenarioNamed(name: string): WireScenario | string {
  const scenario = scenarioNamed(name);
  if (!scenario) return `no scenario '${name}': --list-scenarios prints them`;
  if (CONSOLE_ONLY.has(name)) return `scenario '${name}' is about kd itself: run it without --wire`;
  return scenario;
}
