/** As a window of VS Code: a process that uses a runtime until its stdin closes. One line in, one JSON line out. */
import { createInterface } from 'node:readline';
import { createRuntime } from '../../src/client/runtime.ts';

const [, , folder = '', home = ''] = process.argv;
const runtime = createRuntime({ folder, home });
for await (const request of createInterface({ input: process.stdin })) {
  const answer = await answerTo(request).catch((error: unknown) => ({ error: String(error) }));
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
process.exit(0);

async function answerTo(request: string): Promise<unknown> {
  if (request === 'program') return runtime.program();
  if (request === 'lasting') return runtime.lasting();
  await runtime.tidy();
  return {};
}
