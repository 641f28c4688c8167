/** Several sessions at once, on different ports. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { callTool } from './agent.ts';
import { node, run } from './commands.ts';
import { eventually, test } from './runner.ts';
import { pick, pickerRows, stateItem, statusText, terminalText, thePage, treeText } from './screen.ts';

const PORTS = [50151, 50152] as const;
const ids = PORTS.map((port) => `net-${port}`);

test('two sessions on two ports have each their own entry, terminal and prompt', async () => {
  thePage();
  await run('kdMcp.dismissAll');
  for (const port of PORTS) await callTool('start_kd', { port, key: '1.2.3.4' });
  for (const id of ids) {
    await run('kdMcp.openTerminal', node(id));
    await eventually(`the terminal of ${id}`, () => vscode.window.activeTerminal?.name === `KD ${id}`);
    await eventually('its own text', async () =>
      (await terminalText()).includes(`on port ${id.slice('net-'.length)}`),
    );
  }
  await callTool('break_in', { session_id: 'net-50151' });
  await eventually('one halted, one running', async () => {
    assert.match(await treeText(), /^net-50151 ?halted[\s\S]*^net-50152 ?linked/m);
    return true;
  });
});

test('the status bar follows the terminal that a person turns to', async () => {
  thePage();
  for (const [id, state] of [
    ['net-50151', 'halted'],
    ['net-50152', 'linked'],
    ['net-50151', 'halted'],
  ] as const) {
    vscode.window.terminals.find(({ name }) => name === `KD ${id}`)?.show();
    await eventually(`${id} in the status bar`, async () =>
      (await statusText(stateItem)).includes(`${id} ${state}`),
    );
  }
});

test('a command from the palette asks which session is meant, and only among those it can act on', async () => {
  thePage();
  const stopped = run('kdMcp.stop');
  await eventually('both', async () => {
    const offered = (await pickerRows()).join();
    return ids.every((id) => offered.includes(id));
  });
  await pick('net-50152');
  await stopped;
  await eventually('its end', async () => /^net-50152 ?ended/m.test(await treeText()));
  // One is left: nobody has to be asked.
  await run('kdMcp.go');
  await eventually('it runs', async () => /^net-50151 ?running/m.test(await treeText()));
});
