/** The table that a run prints. */

export interface Row {
  readonly what: string;
  readonly ours: string;
  readonly raw: string;
  /** The figure that the goal is about. */
  readonly figure: string;
  readonly goal?: { readonly text: string; readonly met: boolean };
}

const HEAD = ['what', 'KD-MCP', 'beside', 'difference', 'goal', ''];

export function formatTable(rows: readonly Row[]): string {
  const cells = [
    HEAD,
    ...rows.map(({ what, ours, raw, figure, goal }) => [
      what,
      ours,
      raw,
      figure,
      goal?.text ?? '',
      goal === undefined ? '' : goal.met ? 'met' : 'MISSED',
    ]),
  ];
  const widths = HEAD.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const lines = cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return [lines[0], widths.map((width) => '-'.repeat(width)).join('  '), ...lines.slice(1)].join('\n');
}
