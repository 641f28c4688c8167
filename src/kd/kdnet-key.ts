/** The KDNET key: four base-36 numbers of at most 64 bits, joined by dots (kd-behaviour.md §2.1, engine.md §2). */

const LARGEST_PART = 2n ** 64n - 1n;

/**
 * What is wrong with a key, to follow the word "key"; undefined when nothing is. The text never holds any part of the
 * key. Upper case is accepted and kept: kdnet.exe has printed such keys.
 */
export function keyProblem(key: string): string | undefined {
  if (key === '') return 'is missing';
  if (key !== key.trim()) return 'has blanks around it';
  const parts = key.split('.');
  if (parts.length !== 4) {
    return `has ${parts.length} ${parts.length === 1 ? 'part' : 'parts'}; a key has four, joined by dots`;
  }
  for (const [index, part] of parts.entries()) {
    const which = `part ${index + 1}`;
    if (part === '') return `has nothing in ${which}`;
    if (!/^[0-9a-z]+$/i.test(part)) return `has a character in ${which} that is not 0-9 or a-z`;
    if (part.length > 13) return `has more than 13 characters in ${which}`;
  }
  return undefined;
}

/**
 * The first part (from 1) of a well-formed key that does not fit into 64 bits. kdnet.exe makes no such key; somebody
 * typed it. What the engine does with it is not known (engine.md §2): both ends may still agree.
 */
export function oversizedPart(key: string): number | undefined {
  const index = key.split('.').findIndex((part) => base36(part) > LARGEST_PART);
  return index < 0 ? undefined : index + 1;
}

function base36(part: string): bigint {
  return [...part.toLowerCase()].reduce((sum, digit) => sum * 36n + BigInt(Number.parseInt(digit, 36)), 0n);
}
