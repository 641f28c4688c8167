/** Starts the program named by its arguments detached and ends, as the project's launcher does. */
import { spawn } from 'node:child_process';

const [script = '', ...args] = process.argv.slice(2);
spawn(process.execPath, [script, ...args], { detached: true, stdio: 'ignore', windowsHide: true }).unref();
