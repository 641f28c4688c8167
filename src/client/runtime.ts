/**
 * What an extension starts its servers and hosts with. Where its package brings a Node (Windows), that and the program
 * are copied into `<home>` first (host/runtime-folder.ts says why); elsewhere the program runs where it is.
 */
import { join } from 'node:path';
import {
  editionsIn,
  type RuntimeManifest,
  readManifest,
  runtimeFolder,
  useRuntime,
} from '../host/runtime-folder.ts';
import { lastingProgram, type Program, runningProgram } from './program.ts';
import { placeBin } from './runtime-bin.ts';
import { type CopyFile, copyRuntime, isWhole } from './runtime-copy.ts';
import { tidyRuntimes } from './runtime-tidy.ts';

export interface RuntimeOptions {
  /** Where the program is that came with the extension: `dist`. */
  readonly folder: string;
  readonly home: string;
  /** Default: the system's. */
  readonly copyFile?: CopyFile;
}

export interface Runtime {
  /**
   * What starts this window's server and hosts. It is there when this resolves, whatever happened since the last time.
   * @throws SessionError that says why it could not be copied and what to do.
   */
  program(): Promise<Program>;
  /** What other clients' configurations name. @throws SessionError as above. */
  lasting(): Promise<Program>;
  /** Removes copies of other editions that nobody runs from, and what broken-off copying left. Never rejects. */
  tidy(): Promise<void>;
}

export function createRuntime({ folder, home, copyFile }: RuntimeOptions): Runtime {
  // Read once: an update may delete the extension's folder under a window that goes on.
  let manifest: RuntimeManifest | undefined;
  let placing: Promise<Program> | undefined;

  const place = async (): Promise<Program> => {
    manifest ??= readManifest(folder);
    if (manifest === undefined) return runningProgram(join(folder, 'cli.js'));
    const copies = runtimeFolder(home);
    const copy = join(copies, manifest.edition);
    if (!(await isWhole(copy, manifest))) await copyRuntime(folder, copies, manifest, copyFile);
    useRuntime(copy);
    // An older window beside this one must not take `bin` back.
    if (editionsIn(copies)[0] === manifest.edition) await placeBin(home, copy);
    return runningProgram(join(copy, 'cli.js'));
  };
  const program = (): Promise<Program> => {
    placing ??= place().finally(() => {
      placing = undefined;
    });
    return placing;
  };
  return {
    program,
    lasting: async () => lastingProgram(await program()),
    tidy: async () => {
      if (manifest !== undefined) await tidyRuntimes(runtimeFolder(home), manifest.edition);
    },
  };
}
