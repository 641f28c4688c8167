/** Arguments of `.sympath`: where symbols come from is also where the host connects to and writes. */
import type { Consequence } from './table/entry.ts';

/** A folder on a drive; nothing that leads to the network, to a library or out of the folder. */
const LOCAL = /^[a-z]:\\(?:[\w .()-]+\\)*[\w .()-]*$/i;
const MICROSOFT = /^srv\*(?:https:\/\/msdl\.microsoft\.com\/download\/symbols\/?)?$/i;
const SAFER =
  '.symfix (the public server of Microsoft); another path is set by a person: kd.symbol_path in the configuration.';

/** What `.sympath[+] ARGUMENTS` does. */
export function symbolPathConsequence(text: string): Consequence {
  const path = text.trim().replace(/^\+\s*/, '');
  if (path === '') return { effects: ['reads target'] };
  const elements = path.split(';').map((element) => element.trim());
  if (elements.every((element) => LOCAL.test(element) && !element.includes('..'))) {
    return { effects: ['host file read'], level: 'debug' };
  }
  if (elements.every((element) => MICROSOFT.test(element))) {
    return { effects: ['network'], level: 'debug' };
  }
  // A server's files go to a folder that the path names.
  return { effects: ['network', 'host file write'], saferWay: SAFER };
}
