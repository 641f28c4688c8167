/**
 * Takes out of a text what differs from run to run (times, durations, ports, keys) and what only tells that the engine
 * has neither symbol files nor extension DLLs here, which the simulated kd has.
 */

const RULES: readonly (readonly [RegExp, string])[] = [
  // No symbol files: a box at each connection, `.reload` and module load, and a summary.
  [/\*{73}\n(?:\*{3}.*\*{3}\n)+\*{73}\n/g, ''],
  [/\n\*{13} Symbol Loading Error Summary \*{14}\n[\s\S]*?search path \(\.sympath\) is correct\.\n/g, ''],
  [/\((?:export|pdb) symbols\) .*/g, '(SYMBOLS)'],
  // No extension DLLs.
  [/^Unable to add extension DLL: \w+\n/gm, ''],
  // A debugging server has been opened on this machine once: the key is in the registry since then.
  [/^ExtensionGallery settings after reading .*\n(?:ExtensionGallery \w+: .*\n)*/gm, ''],
  // Times, durations, numbers of this run.
  [/\b\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d(\.\d+)? \d{4}( \(UTC [+-] \d+:\d\d\))?/g, 'TIME'],
  [/(System Uptime: ).*/g, '$1UPTIME'],
  [/(completed, duration )\d+\.\d+( seconds)/g, '$1N$2'],
  // The two repositories come in any order.
  [/^ +----> Repository : \w+, Enabled: true, Packages count: \d+\n/gm, ''],
  [/(Client )[0-9A-F]{16}( mask is)/g, '$1N$2'],
  [/(Debugger Process 0x)[0-9A-F]+/g, '$1N'],
  [/(on port |Port=|port=)\d+/g, '$1PORT'],
  [/(key=)[0-9a-z]+(\.[0-9a-z]+){3}/gi, '$1KEY'],
  [/[ \t]+$/gm, ''],
];

export function normalise(text: string): readonly string[] {
  let result = `${text.replaceAll('\r\n', '\n')}\n`;
  for (const [pattern, replacement] of RULES) result = result.replace(pattern, replacement);
  return result.replace(/\n+$/, '').split('\n');
}

/** The lines of one text that the other does not have in that order, and the other way round. */
export function differingLines(one: readonly string[], other: readonly string[]): readonly string[] {
  // Longest common subsequence, from the end.
  const length = Array.from({ length: one.length + 1 }, () => new Array<number>(other.length + 1).fill(0));
  const at = (i: number, j: number): number => length[i]?.[j] ?? 0;
  for (let i = one.length - 1; i >= 0; i--) {
    const row = length[i] ?? [];
    for (let j = other.length - 1; j >= 0; j--) {
      row[j] = one[i] === other[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < one.length || j < other.length) {
    if (i < one.length && j < other.length && one[i] === other[j]) {
      i++;
      j++;
    } else if (j >= other.length || (i < one.length && at(i + 1, j) >= at(i, j + 1)))
      lines.push(`- ${one[i++]}`);
    else lines.push(`+ ${other[j++]}`);
  }
  return lines;
}
