/** read_output: pages through a transcript, of a live session or of one that is over. */
import type { ReadResult } from '../host/protocol.ts';
import { normalizeSessionId } from '../kd/session-id.ts';
import { number, text } from './arguments.ts';
import { type Reader, readCall } from './excerpt.ts';
import { endWords } from './list-sessions.ts';
import { openSession, SESSION_ID } from './open.ts';
import { type Block, formatReply, REPLY_BYTES } from './reply.ts';
import { remarksOn, stateLine } from './status.ts';
import { fitHead, fitTail } from './text.ts';
import type { Arguments, Tool, ToolContext } from './tool.ts';

/** What a page of text may take; the rest is for state and remarks. */
const PAGE_BYTES = REPLY_BYTES - 1_600;
/** Matching lines come from anywhere, so a page of them cannot be cut afterwards: it must fit whatever it holds. */
const GREP_BYTES = Math.floor(PAGE_BYTES / 2);

export const readOutputTool: Tool = {
  name: 'read_output',
  title: 'Read output',
  description:
    'Read the transcript: console text with commands, output, DbgPrint. By default its end; from=<cursor> reads on from there (page by page, up to 6 KB each). Also works while a command runs and after a session ended.',
  args: {
    session_id: SESSION_ID,
    from: { type: 'integer', description: 'Cursor (byte offset) to read from', minimum: 0 },
    max_bytes: { type: 'integer', description: 'At most so many bytes', minimum: 1 },
    tail_chars: { type: 'integer', description: 'Instead of from: the last so many characters', minimum: 1 },
    grep: {
      type: 'string',
      description: 'Only lines with this text or regular expression (case-insensitive)',
    },
  },
  effect: 'read',
  needsConfig: false,
  run: async (args, context) => {
    const source = await openSource(args, context);
    const from = number(args, 'from');
    const grep = text(args, 'grep');
    if (grep !== undefined && grep !== '') return grepReply(source, grep, from ?? 0);
    return from === undefined
      ? tailReply(source, args, context)
      : pageReply(source, from, number(args, 'max_bytes'));
  },
};

interface Source {
  readonly id: string;
  readonly first: string;
  readonly remarks: readonly string[];
  readonly read: Reader;
}

/** A live session, or one that is over: the named one, or the last when none lives. */
async function openSource(args: Arguments, context: ToolContext): Promise<Source> {
  const { sessions } = context;
  const named = text(args, 'session_id')?.trim() || undefined;
  const live = await sessions.list();
  const id = named === undefined ? undefined : normalizeSessionId(named);
  if (id === undefined ? live.length === 0 : !live.some((record) => record.id === id)) {
    const over = (await sessions.ended(200)).find((record) => id === undefined || record.id === id);
    if (over !== undefined) {
      const first = `${over.id} · ended${over.ended === undefined ? '' : ` · ${endWords(over.ended)}`}`;
      return { id: over.id, first, remarks: [], read: (options) => sessions.readEnded(over.id, options) };
    }
  }
  const session = await openSession(args, context);
  const info = await session.refresh();
  return {
    id: session.id,
    first: stateLine(info),
    remarks: remarksOn(info),
    read: (page) => session.read(page),
  };
}

async function pageReply(source: Source, from: number, maxBytes: number | undefined): Promise<string> {
  const wanted = Math.min(maxBytes ?? PAGE_BYTES, PAGE_BYTES);
  const page = await source.read({ from, maxBytes: wanted });
  const fit = fitHead(page.text, PAGE_BYTES);
  const to = fit.complete ? page.to : page.from + fit.rawBytes;
  return reply(source, { from: page.from, to, head: fit.text }, page, to);
}

async function tailReply(source: Source, args: Arguments, context: ToolContext): Promise<string> {
  const chars = Math.min(number(args, 'tail_chars') ?? PAGE_BYTES, context.config.kd.output_tail_chars);
  const maxBytes = Math.min(number(args, 'max_bytes') ?? PAGE_BYTES, PAGE_BYTES);
  const page = await source.read({ from: -Math.min(chars * 4, maxBytes), maxBytes });
  const fit = fitTail([...page.text].slice(-chars).join(''), PAGE_BYTES);
  const from = page.to - fit.rawBytes;
  return reply(source, { from, to: page.to, head: fit.text }, page, page.to);
}

async function grepReply(source: Source, grep: string, from: number): Promise<string> {
  const page = await source.read({ from, maxBytes: GREP_BYTES, grep });
  return reply(source, { from: page.from, to: page.to, head: page.text }, page, page.to, grep);
}

function reply(source: Source, block: Block, page: ReadResult, to: number, grep?: string): string {
  const what = grep === undefined ? 'bytes' : 'lines that match, in bytes';
  const earlier = grep === undefined && block.from > 0 ? `, ${block.from} bytes before` : '';
  const call = readCall(source.id)(to);
  const more = grep === undefined ? call : call.replace(/\)$/, `, grep=${JSON.stringify(grep)})`);
  return formatReply({
    first: source.first,
    remarks: source.remarks,
    blocks: [{ ...block, title: `${what} ${block.from}–${to} of ${page.end}${earlier}` }],
    readFrom: readCall(source.id),
    next: to < page.end ? `more: ${more}` : `end of output; later: ${more}`,
  });
}
