/** Reads a transcript that nobody writes any more. */
import { closeSync, openSync } from 'node:fs';
import { searchFile } from './search.ts';
import { fileSize, readSlice, type Slice } from './slice.ts';

/** A part of the file, or its matching lines; see the host's own `read` request. */
export async function readTranscript(
  path: string,
  options: { readonly from?: number; readonly maxBytes: number; readonly grep?: string },
): Promise<Slice> {
  const file = openSync(path, 'r');
  try {
    const end = fileSize(file);
    const from = options.from ?? 0;
    if (options.grep === undefined) return readSlice(file, end, from, options.maxBytes);
    return await searchFile(file, end, from, options.maxBytes, options.grep);
  } finally {
    closeSync(file);
  }
}
