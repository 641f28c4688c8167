/**
 * How texts reach the person: English in the source, other languages in `l10n/bundle.l10n.*.json`.
 *
 * Files without `vscode` take a {@link Translate}; the extension hands over `vscode.l10n.t`. Always call it as `t('…')`
 * with a literal: a test compares these literals with the bundles.
 */
export type Translate = (message: string, ...args: (string | number)[]) => string;

/** English, for places without VS Code (tests). */
export const english: Translate = (message, ...args) =>
  message.replace(/\{(\d+)\}/g, (whole, index) => String(args[Number(index)] ?? whole));
