/**
 * The transcript of a session: a UTF-8 file that looks like a console. A cursor is a byte offset in it.
 *
 * Only the file grows with output; here is at most one turn's text that is not written yet.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import type { TranscriptPiece } from '../kd/engine.ts';
import { ensurePrivateFolder } from './files.ts';
import type { OutputRole } from './protocol.ts';
import { RoleMarks } from './role-marks.ts';
import { searchFile } from './search.ts';
import { fileSize, readSlice, type Slice } from './slice.ts';

/** More than this is written at once, without waiting for the end of the turn. */
const FLUSH_BYTES = 64 * 1024;

export interface Appended {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

export class Transcript {
  readonly path: string;
  readonly roles = new RoleMarks();
  #file: number | undefined;
  #readFile: number;
  #end: number;
  #pending: string[] = [];
  #pendingBytes = 0;
  #flush: NodeJS.Immediate | undefined;
  #atLineStart = true;

  constructor(folder: string, path: string) {
    ensurePrivateFolder(folder);
    this.path = path;
    this.#file = openSync(path, 'a', 0o600);
    this.#readFile = openSync(path, 'r');
    this.#end = fileSize(this.#readFile);
  }

  /** Size in bytes: the cursor of "now". */
  get end(): number {
    return this.#end;
  }

  append(piece: TranscriptPiece): Appended {
    const text = this.#line(piece).toWellFormed();
    const from = this.#end;
    if (this.#file === undefined || text === '') return { from, to: from, text: '' };
    const bytes = Buffer.byteLength(text);
    this.#end += bytes;
    this.#atLineStart = text.endsWith('\n');
    this.#pending.push(text);
    this.#pendingBytes += bytes;
    if (this.#pendingBytes >= FLUSH_BYTES) this.flush();
    else this.#flush ??= setImmediate(() => this.flush());
    if (piece.kind !== 'kd') this.roles.add(from, this.#end, roleOf(piece));
    return { from, to: this.#end, text };
  }

  /** Commands and remarks are lines of their own, whatever kd printed before. */
  #line(piece: TranscriptPiece): string {
    switch (piece.kind) {
      case 'kd':
      case 'prompt':
        return piece.text;
      case 'command':
        return withLineEnd(piece.shown ?? piece.text);
      case 'remark':
        return `${this.#atLineStart ? '' : '\n'}${piece.text.trimEnd()}\n`;
    }
  }

  /** Everything that was appended is in the file afterwards. */
  flush(): void {
    if (this.#flush !== undefined) clearImmediate(this.#flush);
    this.#flush = undefined;
    if (this.#pending.length === 0 || this.#file === undefined) return;
    const text = this.#pending.join('');
    const bytes = this.#pendingBytes;
    this.#pending = [];
    this.#pendingBytes = 0;
    // As a string: a Buffer for each flush is memory that comes back late.
    const written = writeSync(this.#file, text);
    if (written < bytes) this.#writeRest(Buffer.from(text), written);
  }

  #writeRest(bytes: Buffer, from: number): void {
    if (this.#file === undefined) return;
    for (let at = from; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
  }

  /** Whole characters from `from` on (negative: from the end), at most `maxBytes` of them. */
  read(from: number, maxBytes: number): Slice {
    this.flush();
    return readSlice(this.#readFile, this.#end, from, maxBytes);
  }

  /** Lines that match, see {@link searchFile}. */
  search(from: number, maxBytes: number, pattern: string): Promise<Slice> {
    this.flush();
    return searchFile(this.#readFile, this.#end, from, maxBytes, pattern);
  }

  dispose(): void {
    this.flush();
    if (this.#file === undefined) return;
    closeSync(this.#file);
    closeSync(this.#readFile);
    this.#file = undefined;
  }
}

function withLineEnd(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

/** What clients are told that a piece is. */
export function roleOf(piece: TranscriptPiece): OutputRole {
  return piece.kind === 'command' ? { kind: 'command', by: piece.by, seq: piece.seq } : { kind: piece.kind };
}
