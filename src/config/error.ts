/** A configuration that cannot be used. The message names file, key, what was expected and what was found. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** The candidate nearest to a mistyped word, if one is near. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const squash = (text: string) => text.toLowerCase().replace(/[-_ ]/g, '');
  const wanted = squash(word);
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, squash(candidate));
    if (
      distance <= Math.max(1, Math.floor(candidate.length / 4)) &&
      (best === undefined || distance < best.distance)
    ) {
      best = { candidate, distance };
    }
  }
  return best?.candidate;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
