/**
 * `npm run bench`: what KD-MCP costs, each figure beside a raw one of the same run. `-- --strict` makes a missed goal an
 * exit code; `-- --json` prints the rows for a program; `-- --engine` measures Microsoft's engine too,
 * `-- --terminal` the terminal in the real VS Code, `-- --activation` the extension's start there.
 */
import { availableParallelism } from 'node:os';
import { measureCommands } from './commands.ts';
import { measureEightSessions } from './eight-sessions.ts';
import { measureMemory } from './memory.ts';
import { openStage } from './stage.ts';
import { measureStart } from './start.ts';
import { formatTable, type Row } from './table.ts';

const rows: Row[] = [];
const stage = await openStage();
try {
  rows.push(...(await measureCommands(stage)), ...(await measureStart(stage.home)));
} finally {
  await stage.dispose();
}
rows.push(...(await measureMemory()), ...(await measureEightSessions()));
if (process.argv.includes('--terminal'))
  rows.push(...(await (await import('./terminal.ts')).measureTerminal()));
if (process.argv.includes('--activation'))
  rows.push(...(await (await import('./activation.ts')).measureActivation()));
if (process.argv.includes('--engine')) rows.push(...(await (await import('./engine.ts')).measureEngine()));

if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
else {
  process.stdout.write(`${formatTable(rows)}\n\n`);
  process.stdout.write(
    `Medians. Node ${process.versions.node}, ${process.platform} ${process.arch}, ${availableParallelism()} processors; raw pipe: the same simulator without KD-MCP.\n`,
  );
}
if (process.argv.includes('--strict') && rows.some(({ goal }) => goal?.met === false)) process.exitCode = 1;
