/** docs/engine-facts.md is what facts.ts says, each fact with a test that exists. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FACTS, type Fact, WRONG } from './facts.ts';
import { startKd } from './kd.ts';

test('each fact names a test that exists', () => {
  const missing = FACTS.filter(({ evidence }) => {
    if (evidence.by === 'nobody here') return false;
    const source = readFileSync(join(import.meta.dirname, evidence.file), 'utf8');
    return !source.includes(`'${evidence.test}'`);
  });
  expect(missing).toEqual([]);
});

test('the document is up to date', async () => {
  const kd = startKd(['-version']);
  const [, version = ''] = await kd.shows(/^kd version ([\d.]+)/);
  await expect(page(version)).toMatchFileSnapshot('../../docs/engine-facts.md');
});

function page(version: string): string {
  return `# What Microsoft's engine confirms

<!-- Made from test/engine/facts.ts by \`npm run test:engine -- facts -u\`. Do not edit. -->

The product rests on beliefs about kd.exe. \`npm run test:engine\` checks them on the engine itself (dbgeng.dll ${version},
under Wine, over KDNET to the simulated kernel). kd.exe is not redistributable: a small console program stands in for it,
and what only that program does proves nothing about kd.exe.

${section('Checked on the engine', 'engine')}
${section('Only the console program of these tests', 'console program')}
${section('Cannot be checked here', 'nobody here')}
## Beliefs that were wrong

The simulator follows the engine now.

${WRONG.map((text) => `* ${text}`).join('\n')}
`;
}

function section(title: string, by: Fact['evidence']['by']): string {
  const rows = FACTS.filter(({ evidence }) => evidence.by === by).map(({ fact, source, evidence }) => {
    const proof = evidence.by === 'nobody here' ? evidence.why : `${evidence.file}: ${evidence.test}`;
    return `| ${cell(fact)} | ${cell(source)} | ${cell(proof)} |`;
  });
  return `## ${title}

| Fact | Source | ${by === 'nobody here' ? 'Why' : 'Test'} |
|---|---|---|
${rows.join('\n')}
`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
