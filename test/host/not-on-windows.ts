/** What real Windows cannot run, with the reason in the report; `npm run test:windows` shows the same there another way. */
import { beforeEach } from 'vitest';

/** Skips the tests of the file or the `describe` it is called in. */
export function notOnWindows(reason: string): void {
  beforeEach(({ skip }) => skip(process.platform === 'win32', reason));
}
