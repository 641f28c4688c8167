/** Leaves out of a reply what kd prints each time and the reader knows. The transcript keeps all of it. */
import type { Block } from './reply.ts';

/** Explains Ctrl+C to a person; 13 lines at each break-in (kd-behaviour.md §5.4). */
const BREAK_IN_BOX =
  /^\*{60,}\n(?:\*[^*\n][^\n]*\n)*\*[^\n]*THIS IS NOT A BUG OR A SYSTEM CRASH[^\n]*\n(?:\*[^*\n][^\n]*\n)*\*{60,}\n/gm;
/** kd's prompt at the very end: the state line has it. */
const LAST_PROMPT = /\n[^\n]{0,40}kd(?::\w+)?> ?$/;
/** The echo of a resume, with nothing behind it. */
const ONLY_GO = /^\s*(?:[^\n]{0,40}> )?g\s*$/;
/** What comes before it is the same at each start (kd-behaviour.md §3.2). */
const BANNER = /^Microsoft \(R\) Windows Debugger Version /m;

/** Output around a stop or a resume. Undefined: nothing in it is news. */
export function tidyStop(block: Block): Block | undefined {
  const head = block.head.replaceAll('\r\n', '\n').replace(BREAK_IN_BOX, '');
  // Cursors are counted from the end of what is shown: the box counts as read.
  const from = block.from + Buffer.byteLength(block.head) - Buffer.byteLength(head);
  const shown = block.tail === undefined ? head.replace(LAST_PROMPT, '\n') : head;
  if (block.tail === undefined && (ONLY_GO.test(shown) || shown.trim() === '')) return undefined;
  return { ...block, from, head: shown };
}

/** Output of kd's start, from its version on. */
export function tidyStart(block: Block): Block {
  const at = BANNER.exec(block.head)?.index ?? 0;
  return {
    ...block,
    from: block.from + Buffer.byteLength(block.head.slice(0, at)),
    head: block.head.slice(at),
  };
}
