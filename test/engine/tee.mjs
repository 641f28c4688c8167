// A kd between a session and the real kd: passes everything on and writes down what went by.
// usage: node tee.mjs RECORDING PROGRAM [ARGUMENTS…]
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';

const [recording, program, ...args] = process.argv.slice(2);
/** @type {(['in' | 'out' | 'break', string])[]} */
const passed = [];
const note = (direction, text) => {
  const last = passed.at(-1);
  if (last?.[0] === direction) last[1] += text;
  else passed.push([direction, text]);
};
const kd = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
process.stdin.on('data', (bytes) => {
  note('in', bytes.toString('latin1'));
  kd.stdin.write(bytes);
});
kd.stdin.on('error', () => {});
kd.stdout.on('data', (bytes) => {
  note('out', bytes.toString('latin1'));
  process.stdout.write(bytes);
});
process.on('SIGINT', () => {
  note('break', '');
  kd.kill('SIGINT');
});
kd.on('close', (code) => {
  writeFileSync(recording, `${JSON.stringify(passed, null, 1)}\n`);
  process.exit(code ?? 1);
});
