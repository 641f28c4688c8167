/**
 * Looks over a symbol path for what kd refuses late or not at all (field-reports.md 8). Changes nothing: it offers
 * the corrected path.
 */

export interface SymbolPathLint {
  /** One sentence each; none: nothing to say. */
  readonly warnings: readonly string[];
  /** The path as it was probably meant; the path itself when there is nothing to correct. */
  readonly corrected: string;
}

const URL_START = /^https?:\/\//i;
const UNC_START = /^[\\/]{2}[^\\/]/;
const DRIVE_START = /^[A-Za-z]:[\\/]/;
/** `msdl.microsoft.com/download/symbols`: a server without its protocol. */
const HOST_START = /^[\w-]+(\.[\w-]+)+\//;

/** Checks a symbol path: `;`-separated folders, `srv*store*server`, `cache*folder`. */
export function lintSymbolPath(path: string): SymbolPathLint {
  const warnings: string[] = [];
  const say = (warning: string) => {
    if (!warnings.includes(warning)) warnings.push(warning);
  };
  const elements = path.split(';').filter((element) => element.trim() !== '');
  const corrected = elements.map((element) => correctElement(element, say)).join(';');
  const fixed = elements.join(';') === corrected;
  return { warnings, corrected: fixed ? path : corrected };
}

function correctElement(element: string, say: (warning: string) => void): string {
  if (element.includes('"')) say('Quotes inside a symbol path are taken as part of it.');
  const parts = element.replaceAll('"', '').split('*');
  if (parts.some((part) => part !== part.trim())) {
    say('A blank beside * or ; cuts the symbol path or becomes part of a folder name.');
  }
  const clean = parts.map((part) => part.trim()).map((part) => correctPart(part, say));
  const [first = ''] = clean;
  if (/^(srv|cache|symsrv)$/i.test(first) && clean.length > 1) return clean.join('*');
  if (clean.length > 1) {
    say(
      `${first} is followed by * and does not begin with srv*: kd takes it for a folder that is not there.`,
    );
    return ['srv', ...clean].join('*');
  }
  if (URL_START.test(first)) {
    say(`${first} alone is not a valid store: a server needs srv* in front.`);
    return `srv*${first}`;
  }
  return first;
}

function correctPart(part: string, say: (warning: string) => void): string {
  if (/[^\u0020-\u007e]/.test(part)) say(`${part} is not ASCII: kd may not find that folder.`);
  if (/^http:\/\//i.test(part)) {
    say(`${part} is not encrypted: anybody on the way can replace symbols.`);
    return part.replace(/^http:/i, 'https:');
  }
  if (URL_START.test(part)) return part;
  if (UNC_START.test(part)) {
    say(
      `${part} is on another machine: kd signs in there as you, and waits when it does not answer. Use it only if you trust it.`,
    );
    return part.replaceAll('/', '\\');
  }
  if (DRIVE_START.test(part) && part.includes('/')) {
    say(`${part}: a store on this machine needs backslashes.`);
    return part.replaceAll('/', '\\');
  }
  if (HOST_START.test(part)) {
    say(`${part} has no https:// in front: kd takes it for a folder.`);
    return `https://${part}`;
  }
  return part;
}
