/** How settings reach the programs that the extension starts: as the environment variables that they read anyway. */

/** The same as `KD_MCP_*` variables, which the programs read. */
export function asEnvironment(settings: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      `KD_MCP_${name
        .replace(/[A-Z]/g, (letter) => `_${letter}`)
        .replace('.', '_')
        .toUpperCase()}`,
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]),
  );
}
