/** The simulator of kd.exe: a program of its own that behaves like kd on its pipes. */
import { start } from './console/start.ts';

await start(process.argv.slice(2));
