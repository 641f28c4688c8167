/** From the text of a call to command lines that may be sent, or a refusal that names each bad line. */
import type { SecurityConfig } from '../config/schema.ts';
import { checkCommandLine, effectOf, splitLines } from '../kd/command.ts';
import { checkSecurity } from '../policy/verdict.ts';
import { quoted } from './status.ts';
import { ToolError } from './tool.ts';

/** One call is one unit of everybody's queue. */
const MOST_LINES = 50;

/**
 * One command per line, blank lines left out: kd would repeat its last command for them. Nothing is sent when one line
 * is bad, because the lines behind it may rely on it. As an answer, one line, which may be empty.
 * @throws ToolError that names each line that cannot be sent, and why
 */
export function commandLines(text: string, answer: boolean, security: SecurityConfig): readonly string[] {
  const lines = answer ? [text.replace(/(\r\n|\n|\r)$/, '')] : splitLines(text);
  if (lines.length === 0) {
    throw new ToolError(
      'command is empty: nothing was sent (kd repeats its last command for an empty line).',
    );
  }
  if (lines.length > MOST_LINES) {
    throw new ToolError(
      `command has ${lines.length} lines, at most ${MOST_LINES} go in one call: nothing was sent.`,
    );
  }
  const problems = lines.flatMap((line, index) => {
    const problem = answer ? checkAnswer(line, security) : checkLine(line, security);
    if (problem === undefined) return [];
    return [lines.length === 1 ? problem : `line ${index + 1} (${quoted(line, 60)}): ${problem}`];
  });
  if (problems.length > 0) throw new ToolError(`Nothing was sent. ${problems.slice(0, 10).join('\n')}`);
  return lines;
}

function checkLine(line: string, security: SecurityConfig): string | undefined {
  const problem = checkCommandLine(line) ?? checkSecurity(line, security);
  if (problem !== undefined) return problem;
  return effectOf(line).endsSession
    ? 'This would end kd and can leave the guest frozen. Use stop_kd, which lets the guest run first.'
    : undefined;
}

function checkAnswer(line: string, security: SecurityConfig): string | undefined {
  return line === '' ? undefined : (checkCommandLine(line) ?? checkSecurity(line, security));
}
