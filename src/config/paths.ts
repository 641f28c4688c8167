/** Expands what people write in path settings: `~`, `%NAME%`, `${NAME}`, and paths relative to the file they stand in. */
import { join, resolve } from 'node:path';
import type { Environment } from './home.ts';

export interface Expansion {
  readonly env: Environment;
  readonly userHome: string;
  /** Folder that relative paths are relative to. */
  readonly base: string;
}

/** Variables that the environment may lack though they are known (stripped environments). */
const known: Readonly<Record<string, (userHome: string) => string>> = {
  HOME: (userHome) => userHome,
  USERPROFILE: (userHome) => userHome,
  LOCALAPPDATA: (userHome) => join(userHome, 'AppData', 'Local'),
  APPDATA: (userHome) => join(userHome, 'AppData', 'Roaming'),
};

/** Replaces variables in a text; those that are not set stay as they are and are reported in `unset`. */
export function expandVariables(
  text: string,
  { env, userHome }: Pick<Expansion, 'env' | 'userHome'>,
): { readonly text: string; readonly unset: readonly string[] } {
  const unset: string[] = [];
  const value = (whole: string, name: string): string => {
    const upper = name.toUpperCase();
    const key = name in env ? name : Object.keys(env).find((candidate) => candidate.toUpperCase() === upper);
    const found = (key === undefined ? undefined : env[key]) || known[upper]?.(userHome);
    if (found !== undefined) return found;
    unset.push(name);
    return whole;
  };
  const expanded = text
    .replace(/\$\{(?:env:)?([A-Za-z_]\w*)\}/g, value)
    .replace(/%([A-Za-z_][\w()]*)%/g, value)
    .replace(/^\$([A-Za-z_]\w*)(?=[\\/]|$)/, value);
  return { text: expanded, unset };
}

/** True for `C:\…`, `\\server\…` and `/…`, on every system: configuration files travel. */
export function isAbsoluteAnywhere(path: string): boolean {
  return /^([A-Za-z]:[\\/]|\\\\|\/)/.test(path);
}

/** Makes a path absolute. @throws Error that names a variable which is not set. */
export function expandPath(path: string, expansion: Expansion): string {
  const { text, unset } = expandVariables(path.trim(), expansion);
  const [missing] = unset;
  if (missing !== undefined) throw new Error(`the environment variable ${missing} is not set`);
  const anchored = text.replace(/^~(?=[\\/]|$)/, () => expansion.userHome);
  return isAbsoluteAnywhere(anchored) ? anchored : resolve(expansion.base, anchored);
}
