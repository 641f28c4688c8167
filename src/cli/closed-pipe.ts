/** What printing commands do when nobody reads any more. */
import { errorCode } from '../host/files.ts';

/**
 * `| head` has read enough and closes the pipe: that is the end of printing, not an error to shout about. Another failure
 * (a full disk) is one.
 */
export function endWithReader(): void {
  process.stdout.on('error', (error) => {
    if (isClosedPipe(error)) process.exit(0);
    process.stderr.write(`kd-mcp: ${error.message}\n`);
    process.exit(1);
  });
}

/** Windows says EOF where others say EPIPE. */
function isClosedPipe(error: Error): boolean {
  const code = errorCode(error);
  return code === 'EPIPE' || code === 'EOF';
}
