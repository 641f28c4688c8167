/** The simulator: a kd.exe with its guest, or with `--wire` only the guest, for a real debugger. */
export {};

const args = process.argv.slice(2);

if (args.includes('--wire')) (await import('./wire/start.ts')).startWire(args);
else await (await import('./console/start.ts')).start(args);
