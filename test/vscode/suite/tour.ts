/** Not a test: walks through what a person sees, in any language, and takes a picture of each. */
import * as vscode from 'vscode';
import { callTool } from './agent.ts';
import { node, run } from './commands.ts';
import { eventually, test } from './runner.ts';
import { notificationTexts, pickerRows, terminal, terminalText, thePage } from './screen.ts';

const seen = thePage();
const show = (command: string, ...args: unknown[]) => vscode.commands.executeCommand(command, ...args);
const treeRow = (text: string) => `.pane .monaco-list-row:has-text("${text}")`;
const types = async (line: string, answer: RegExp) => {
  await seen.type(`${line}\r`);
  await eventually(line, async () => answer.test(await terminalText()));
};
const PROMPT = /\d: kd>$/;

/** Something to debug. */
async function driverSource(): Promise<vscode.Uri> {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  if (folder === undefined) throw new Error('No folder is open.');
  const file = vscode.Uri.joinPath(folder.uri, 'dispatch.c');
  const text = `#include <ntddk.h>

NTSTATUS DriverDispatch(PDEVICE_OBJECT device, PIRP irp)
{
    PIO_STACK_LOCATION location = IoGetCurrentIrpStackLocation(irp);
    UNREFERENCED_PARAMETER(device);

    switch (location->MajorFunction) {
    case IRP_MJ_CREATE:
    case IRP_MJ_CLOSE:
        irp->IoStatus.Status = STATUS_SUCCESS;
        break;
    default:
        irp->IoStatus.Status = STATUS_NOT_SUPPORTED;
    }
    IoCompleteRequest(irp, IO_NO_INCREMENT);
    return irp->IoStatus.Status;
}
`;
  await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(text));
  return file;
}

test('welcome', async () => {
  await show('kdMcp.sessions.focus');
  await seen.click('.pane-header[aria-label^="Run"]');
  await eventually('the text', async () => (await seen.texts('.welcome-view-content')).length > 0);
  await seen.picture('welcome');
});

test('walkthrough', async () => {
  await show('workbench.action.closeSidebar');
  await run('kdMcp.openWalkthrough');
  const steps = '.getting-started-step';
  await eventually('the steps', async () => (await seen.texts(steps)).length === 4);
  for (const step of ['debugger', 'stateFile', 'agent', 'simulated']) {
    await seen.click(
      `[data-step-id="kd-mcp.kd-mcp#kdMcp.firstSteps#${step}"]:not(.expanded), [data-step-id="kd-mcp.kd-mcp#kdMcp.firstSteps#${step}"] .step-title`,
    );
    await eventually('its picture', async () => (await seen.texts('.getting-started-media')).length > 0);
    await seen.picture(`walkthrough-${step}`);
  }
  await show('workbench.action.closeAllEditors');
  await show('kdMcp.sessions.focus');
});

test('doctor', async () => {
  await run('kdMcp.doctor');
  const page = ['iframe.webview', 'iframe#active-frame', 'h1 ~ ul'].join(
    ' >> internal:control=enter-frame >> ',
  );
  await eventually('the page', async () => (await seen.texts(page)).length > 0);
  await seen.picture('doctor');
  await show('workbench.action.closeAllEditors');
});

test('picker', async () => {
  const started = run('kdMcp.start');
  await eventually('the transports', async () => (await pickerRows()).length >= 8);
  await seen.picture('picker');
  await seen.click('.quick-input-list .monaco-list-row >> nth=1');
  await eventually('the port', async () => (await pickerRows()).length === 0);
  await seen.press('Control+A');
  await seen.type('80');
  await eventually('the complaint', async () =>
    (await seen.texts('.quick-input-message')).join().includes('80'),
  );
  await seen.picture('picker-port');
  await seen.press('Escape');
  await started;
});

test('session', async () => {
  // A terminal that the person looks at needs no notification.
  const settings = vscode.workspace.getConfiguration('kdMcp');
  await settings.update('openAgentTerminals', false, vscode.ConfigurationTarget.Global);
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(await driverSource()));
  await show('workbench.mcp.startServer', 'kd-mcp.kd-mcp/KD');
  await eventually(
    'the tools',
    () => vscode.lm.tools.some(({ name }) => name === 'mcp_kd_kd_command'),
    30_000,
  );
  await run('kdMcp.startSimulated');
  await eventually('the terminal', () => vscode.window.activeTerminal?.name === 'KD sim-1');
  await run('kdMcp.breakIn');
  await eventually('the prompt', async () => PROMPT.test(await terminalText()));
  await seen.click(terminal);
  await types('bp nt!NtCreateFile', PROMPT);
  await callTool('kd_command', { session_id: 'sim-1', command: 'k' });
  await types('lm m xx', PROMPT);
  await types('r rip', /rip=[0-9a-f]+\n\d: kd>$/);
  await eventually('the agent in the tree', async () =>
    (await seen.texts('.pane .monaco-list-row')).join().includes('code-server'),
  );
  for (const icon of ['debug-breakpoint', 'history']) {
    const row = `.pane .monaco-list-row:has(.codicon-${icon})[aria-expanded]`;
    // A click that meets a row just being redrawn is repeated.
    await eventually(icon, async () => {
      if ((await seen.attribute(row, 'aria-expanded')) === 'true') return true;
      await seen.click(row);
      return (await seen.attribute(row, 'aria-expanded')) === 'true';
    });
  }
  await seen.click(terminal);
  await seen.picture('session');
  await seen.click('#kd-mcp\\.kd-mcp\\.kdMcp\\.state');
  await eventually('the actions', async () => (await pickerRows()).length >= 6);
  await seen.picture('actions');
  await seen.press('Escape');
  await seen.context(treeRow('sim-1'));
  await eventually('the menu', async () => (await seen.texts('.monaco-menu .action-item')).length > 4);
  await seen.picture('menu');
  await seen.press('Escape');
  await vscode.env.clipboard.writeText('r rbx\nr rcx\n');
  await seen.click(terminal);
  await show('workbench.action.terminal.paste');
  await eventually('the question', async () => (await terminalText()).includes('  r rcx'));
  await seen.picture('paste');
  await seen.press('Escape');
  const command = run('kdMcp.runCommand');
  await eventually('the history', async () => (await pickerRows()).length > 2);
  await seen.picture('run-command');
  await seen.press('Escape');
  await command;
});

test('crash', async () => {
  await run('kdMcp.pin', node('sim-1'));
  await callTool('start_kd', { transport: 'simulator', scenario: 'bugcheck' });
  await eventually('the news', async () =>
    (await notificationTexts()).some((text) => text.includes('sim-2') && text.includes('0xD1')),
  );
  await run('kdMcp.openTerminal', node('sim-2'));
  await eventually('the crash', async () => /fatal system error/i.test(await terminalText()));
  await show('notifications.showList');
  await seen.picture('crash');
  await show('notifications.clearAll');
  await show('notifications.hideList');
  await run('kdMcp.stop', node('sim-2'));
  await eventually(
    'its end',
    async () => (await seen.texts('.pane .monaco-list-row:has(.codicon-circle-slash)')).length === 1,
  );
  await seen.picture('ended');
});
