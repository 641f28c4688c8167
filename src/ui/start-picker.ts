/**
 * "Start…": asks for a connection step by step, or takes what a person pastes. Each step is checked as the tool checks
 * it (`src/kd/validate.ts`). All is remembered but the key, which goes to SecretStorage.
 */
import * as vscode from 'vscode';
import type { Connection, Transport } from '../kd/connection.ts';
import { validateConnection } from '../kd/validate.ts';
import type { Backstage } from './backstage.ts';
import { forPeople } from './for-people.ts';
import { secretName } from './rescue.ts';
import { connectionFrom, FIELDS, type Field } from './start-fields.ts';

const t = vscode.l10n.t;

const REMEMBERED = 'kdMcp.start';
type Answers = Readonly<Record<string, string>>;
type Remembered = Readonly<Record<string, Answers>>;

export interface StartParts {
  readonly backstage: Backstage;
  readonly memory: vscode.Memento;
  readonly secrets: vscode.SecretStorage;
}

interface TransportItem extends vscode.QuickPickItem {
  readonly transport?: Transport;
}

/** Undefined: the person went away. */
export async function askConnection(parts: StartParts): Promise<Connection | undefined> {
  const items: TransportItem[] = [
    { label: t('Paste…'), description: t('a -k text, or what bcdedit or kdnet.exe printed') },
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    { label: 'KDNET', description: t('network: port and key'), transport: 'net' },
    { label: 'COM', description: t('serial port of this computer'), transport: 'com' },
    { label: t('Pipe'), description: t('serial port of a virtual machine'), transport: 'pipe' },
    { label: 'TCP', description: t('serial line over TCP'), transport: 'tcp' },
    { label: 'USB', transport: 'usb' },
    { label: t('Local kernel'), description: t('this computer, nothing is halted'), transport: 'local' },
    { label: t('Memory dump'), transport: 'dump' },
    { label: t('Debugger server'), description: 'npipe:…, tcp:…', transport: 'remote' },
  ];
  const title = t('Start a kernel debugging session');
  const chosen = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: t('How is the target reached?'),
    matchOnDescription: true,
  });
  if (chosen === undefined) return undefined;
  if (chosen.transport === undefined) return pasted(parts, title);
  return byFields(parts, chosen.transport, `${title}: ${chosen.label}`);
}

async function pasted({ backstage, secrets }: StartParts, title: string): Promise<Connection | undefined> {
  const text = await vscode.window.showInputBox({
    title,
    prompt: t(
      'Paste a -k text, the output of bcdedit /dbgsettings or of kdnet.exe. The key in it is kept secret.',
    ),
    password: true,
    ignoreFocusOut: true,
    validateInput: (input) => {
      if (input.trim() === '') return undefined;
      const parsed = backstage.parseConnection(input);
      return parsed.ok ? undefined : forPeople(parsed.error, t);
    },
  });
  if (text === undefined) return undefined;
  const parsed = backstage.parseConnection(text);
  if (!parsed.ok) throw new Error(parsed.error);
  await keepKey(secrets, parsed.connection);
  return parsed.connection;
}

async function byFields(
  { memory, secrets }: StartParts,
  transport: Transport,
  title: string,
): Promise<Connection | undefined> {
  const remembered = memory.get<Remembered>(REMEMBERED, {});
  const answers: Record<string, string> = { ...remembered[transport] };
  for (const field of FIELDS[transport]) {
    const answer = await askField(field, transport, answers, secrets, title);
    if (answer === undefined) return undefined;
    answers[field.name] = answer;
  }
  const connection = connectionFrom(transport, answers);
  await keepKey(secrets, connection);
  const { key: _secret, ...plain } = answers;
  await memory.update(REMEMBERED, { ...remembered, [transport]: plain });
  return connection;
}

async function askField(
  field: Field,
  transport: Transport,
  answers: Answers,
  secrets: vscode.SecretStorage,
  title: string,
): Promise<string | undefined> {
  const kept = field.secret ? await secrets.get(secretName(Number(answers.port))) : undefined;
  const answer = await vscode.window.showInputBox({
    title,
    prompt:
      kept === undefined ? field.prompt(t) : t('{0} (Enter uses the one that is kept)', field.prompt(t)),
    value: field.secret ? '' : (answers[field.name] ?? field.usual ?? ''),
    password: field.secret === true,
    ignoreFocusOut: true,
    validateInput: (text) => {
      if (text.trim() === '' && (field.optional || kept !== undefined)) return undefined;
      const problem = validateConnection(
        connectionFrom(transport, { ...answers, [field.name]: text.trim() }),
      ).find((each) => each.field === field.checkedAs);
      if (problem === undefined) return undefined;
      return {
        message: forPeople(problem.message, t),
        severity:
          problem.severity === 'error'
            ? vscode.InputBoxValidationSeverity.Error
            : vscode.InputBoxValidationSeverity.Warning,
      };
    },
  });
  return answer?.trim() === '' && kept !== undefined ? kept : answer?.trim();
}

async function keepKey(secrets: vscode.SecretStorage, connection: Connection): Promise<void> {
  if (connection.transport === 'net') await secrets.store(secretName(connection.port), connection.key);
}
