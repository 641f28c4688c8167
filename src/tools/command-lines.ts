/** From the text of a call to command lines. What they may be is the session host's business. */
import { splitLines } from '../kd/command.ts';
import { ToolError } from './tool.ts';

/**
 * One command per line, blank lines left out: kd would repeat its last command for them. As an answer, one line, which
 * may be empty.
 * @throws ToolError when nothing is left
 */
export function commandLines(text: string, answer: boolean): readonly string[] {
  const lines = answer ? [text.replace(/(\r\n|\n|\r)$/, '')] : splitLines(text);
  if (lines.length > 0) return lines;
  throw new ToolError('command is empty: nothing was sent (kd repeats its last command for an empty line).');
}
