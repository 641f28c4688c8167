/** The page of the doctor, in Markdown. What was found is said in the words of `kd-mcp doctor`. */
import type { Check } from '../tools/checks.ts';
import { forPeople } from './for-people.ts';
import type { Translate } from './l10n.ts';

/** Those that need something done come first. */
const ORDER: readonly Check['verdict'][] = ['bad', 'warn', 'ok'];

export function doctorReport(checks: readonly Check[], t: Translate): string {
  const bad = checks.filter(({ verdict }) => verdict === 'bad').length;
  const summary =
    bad === 0
      ? t('Everything that a session needs is there.')
      : bad === 1
        ? t('One thing keeps sessions from working.')
        : t('{0} things keep sessions from working.', bad);
  const found = ORDER.flatMap((verdict) => checks.filter((check) => check.verdict === verdict)).map(
    ({ verdict, name, text }) => {
      const title = `${verdictWord(verdict, t)} · ${checkName(name, t)}`;
      const said = plain(forPeople(text, t));
      return verdict === 'ok' ? `* ${title}: ${said}` : `* **${title}**<br>${said}`;
    },
  );
  return [`# ${t('KD Doctor')}`, summary, found.join('\n'), ''].join('\n\n');
}

function verdictWord(verdict: Check['verdict'], t: Translate): string {
  switch (verdict) {
    case 'ok':
      return t('OK');
    case 'warn':
      return t('Warning');
    case 'bad':
      return t('Problem');
  }
}

/** Names that are not listed (Windows, kd.exe) are the same everywhere. */
function checkName(name: string, t: Translate): string {
  switch (name) {
    case 'program':
      return t('Program');
    case 'home folder':
      return t('Home folder');
    case 'configuration':
      return t('Configuration');
    case 'symbol path':
      return t('Symbol path');
    case 'sessions':
      return t('Sessions');
    case 'frozen guests':
      return t('Frozen guests');
    case 'state file':
      return t('State file');
    case 'port':
      return t('Port');
    default:
      return name;
  }
}

/** Text of any kind, within one item of a list. */
function plain(text: string): string {
  return text.replace(/[\\`*_{}[\]<>()#+!|~]/g, (character) => `\\${character}`).replace(/\r?\n/g, '<br>');
}
