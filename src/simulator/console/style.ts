/** Differences between versions of kd, switched with `--style a,b` (kd-behaviour.md Appendix B 13). */

export interface Style {
  /** Break-in box with the words of old debuggers. */
  readonly oldBox: boolean;
  /** `Built by:` and `Machine Name:` instead of `Edition build lab:`. */
  readonly builtBy: boolean;
  /** Link words of DML as plain text: `Browse full module list`, `Disable Clear`. */
  readonly dml: boolean;
  /** `.reload` shows the hint about slow symbol loads. */
  readonly reloadHint: boolean;
  /** A bugcheck runs the short analysis of old debuggers. */
  readonly shortBugcheck: boolean;
  /** Frame numbers in plain `k`. */
  readonly numberedStack: boolean;
  /** Symbol warnings inside of what commands print (kd-behaviour.md §8.3). */
  readonly symbolWarnings: boolean;
  /** No extension gallery lines before the banner. */
  readonly noGallery: boolean;
}

const NAMES: Readonly<Record<string, keyof Style>> = {
  'old-box': 'oldBox',
  'built-by': 'builtBy',
  dml: 'dml',
  'reload-hint': 'reloadHint',
  'short-bugcheck': 'shortBugcheck',
  'numbered-k': 'numberedStack',
  'symbol-warnings': 'symbolWarnings',
  'no-gallery': 'noGallery',
};

export const STYLE_NAMES: readonly string[] = Object.keys(NAMES);

/** Parses the comma-separated list of `--style`; unknown names are ignored. */
export function styleOf(text: string): Style {
  const on = new Set(text.split(',').map((name) => NAMES[name.trim()]));
  return {
    oldBox: on.has('oldBox'),
    builtBy: on.has('builtBy'),
    dml: on.has('dml'),
    reloadHint: on.has('reloadHint'),
    shortBugcheck: on.has('shortBugcheck'),
    numberedStack: on.has('numberedStack'),
    symbolWarnings: on.has('symbolWarnings'),
    noGallery: on.has('noGallery'),
  };
}
