/**
 * Where KD-MCP keeps its files: the user's folders and `<home>`.
 *
 * Must work with an empty environment, because some clients start servers with one (field-reports.md 16).
 */
import { userInfo } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import envPaths from 'env-paths';

/** Environment variables, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The user's home folder, from the account where the environment names none. */
export function userHomeFolder(env: Environment = process.env): string {
  const named = process.platform === 'win32' ? env.USERPROFILE : env.HOME;
  return named !== undefined && isAbsolute(named) ? named : userInfo().homedir;
}

/** The user's configuration folder and local data folder of KD-MCP. */
export function userFolders(): { readonly config: string; readonly data: string } {
  const { config, data } = envPaths('kd-mcp', { suffix: '' });
  // With HOME set to nothing, env-paths gives paths relative to the home folder.
  const anchored = (path: string) => (isAbsolute(path) ? path : join(userInfo().homedir, path));
  return { config: anchored(config), data: anchored(data) };
}

/** `<home>`: sessions, transcripts and runtime. `--home DIR`, then `KD_MCP_HOME`, then the user's local data folder. */
export function homeFolder(options: { readonly home?: string; readonly env?: Environment } = {}): string {
  const env = options.env ?? process.env;
  const named = options.home ?? env.KD_MCP_HOME;
  if (named === undefined || named.trim() === '') return userFolders().data;
  return resolve(named.replace(/^~(?=[\\/]|$)/, () => userHomeFolder(env)));
}
