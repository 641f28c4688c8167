/** The file that `.logopen` and `.logappend` write: ANSI, or UTF-16LE with a byte order mark (`/u`). CRLF line ends. */
import { closeSync, openSync, writeSync } from 'node:fs';

export interface LogFile {
  readonly name: string;
  write(text: string): void;
  close(): void;
}

/** @throws the error of the file system when the file cannot be opened. */
export function openLog(
  name: string,
  options: { readonly unicode: boolean; readonly append: boolean },
): LogFile {
  const file = openSync(name, options.append ? 'a' : 'w');
  if (options.unicode && !options.append) writeSync(file, Buffer.from([0xff, 0xfe]));
  return {
    name,
    write(text) {
      writeSync(file, Buffer.from(text.replaceAll('\n', '\r\n'), options.unicode ? 'utf16le' : 'latin1'));
    },
    close: () => closeSync(file),
  };
}
