/** The program's version, from package.json (the build puts it in). */
import packageJson from '../package.json' with { type: 'json' };

export const VERSION: string = packageJson.version;
