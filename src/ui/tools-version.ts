/** The version of the MCP server as the editor sees it: it caches the tool list under this text (vscode.md §1). */

/** Put in by esbuild.config.mjs: changes with the names, descriptions and arguments of the tools. */
declare const KD_MCP_TOOLS_HASH: string | undefined;

/** `0.1.0+3fa9c1d2`. */
export function serverVersion(extensionVersion: string): string {
  return typeof KD_MCP_TOOLS_HASH === 'string'
    ? `${extensionVersion}+${KD_MCP_TOOLS_HASH}`
    : extensionVersion;
}
