/** May an agent send this line? */
import { checkCommandLine } from '../kd/command.ts';
import {
  compareNeeds,
  describeEffect,
  type Effect,
  gravest,
  LEVELS,
  type Level,
  type Need,
  needOf,
  suffices,
} from './effects.ts';
import { checkLists, type SecurityLists } from './lists.ts';
import { partsOf } from './parse.ts';
import type { Part } from './part.ts';
import { Unclear } from './scan.ts';

export interface PolicyOptions {
  readonly level: Level;
  readonly security: SecurityLists;
}

/** What was found about a line. `message` is for the one who sent it: what, why, and the next step. */
export type Verdict =
  | { readonly allowed: true; readonly effects: readonly Effect[] }
  | {
      readonly allowed: false;
      /** The command of the line that is refused. */
      readonly part: string;
      readonly effect: Effect;
      /** The level that would allow it. `never`: none. */
      readonly needs: Need;
      readonly saferWay?: string;
      readonly message: string;
    };

/** Judges one line. Never throws. */
export function verdict(line: string, { level, security }: PolicyOptions): Verdict {
  const problem = checkCommandLine(line);
  if (problem !== undefined) return forbidden(line, problem);
  const read = readLine(line);
  const listed = checkLists(line, textsOf(read), security);
  if (listed !== undefined) return forbidden(line, listed);
  if (read.parts === undefined) {
    return suffices(level, needOf('unclear'))
      ? (unclearButEnds(line) ?? { allowed: true, effects: ['unclear'] })
      : refused(level, { text: read.part, effects: ['unclear'] }, read.why);
  }
  const worst = read.parts.reduce<Part | undefined>((most, part) => {
    return most === undefined || compareNeeds(needOfPart(part), needOfPart(most)) > 0 ? part : most;
  }, undefined);
  if (worst !== undefined && !suffices(level, needOfPart(worst))) return refused(level, worst);
  const effects = new Set(read.parts.flatMap((part) => part.effects));
  return { allowed: true, effects: [...effects] };
}

type Read =
  | { readonly parts: readonly Part[] }
  | { readonly parts?: undefined; readonly part: string; readonly why: string };

function readLine(line: string): Read {
  try {
    return { parts: partsOf(line) };
  } catch (error) {
    if (error instanceof Unclear) return { part: error.part, why: error.message };
    throw error;
  }
}

function textsOf(read: Read): readonly string[] | undefined {
  return read.parts?.map(({ text }) => text);
}

function forbidden(line: string, message: string): Verdict {
  return { allowed: false, part: line, effect: 'unclear', needs: 'never', message };
}

function needOfPart(part: Part): Need {
  return part.level ?? needOf(gravest(part.effects));
}

/** A line that ends the session is refused even where nothing else is. */
function unclearButEnds(line: string): Verdict | undefined {
  const found = /(?:^|[;{"'])\s*(q[qd]?(?=[\s;}"']|$)|\.(?:kill|detach|abandon|restart|remote_exit)\b)/i.exec(
    line,
  )?.[1];
  return found === undefined
    ? undefined
    : refused('unrestricted', { text: found, effects: ['ends session'], saferWay: 'stop_kd.' });
}

function refused(level: Level, part: Part, why?: string): Verdict {
  const effect = gravest(part.effects);
  const needs = needOfPart(part);
  const shown = JSON.stringify(part.text.length > 80 ? `${part.text.slice(0, 77)}...` : part.text);
  const sentences = [
    `Not sent: ${shown} ${describeEffect(effect)}${why === undefined ? '' : ` (${why})`}.`,
    needs === 'never'
      ? 'No level lets an agent do this.'
      : `An agent may do this at level "${needs}"; the level is "${level}", and a person sets it.`,
    ...(part.saferWay === undefined ? [] : [`Instead: ${part.saferWay}`]),
  ];
  return {
    allowed: false,
    part: part.text,
    effect,
    needs,
    ...(part.saferWay === undefined ? {} : { saferWay: part.saferWay }),
    message: sentences.join(' '),
  };
}

/** Why the lists of the configuration forbid a line; undefined when they do not. */
export function checkSecurity(line: string, security: SecurityLists): string | undefined {
  return checkLists(line, textsOf(readLine(line)), security);
}

/** Values for memory, or one of the letters that the kernel asks for at a failed assertion (kd-behaviour.md §4.6). */
const VALUES = /^\s*(?:(?:0x|0n)?[0-9a-f`]+(?:\s+(?:0x|0n)?[0-9a-f`]+)*|[boipt])\s*$/i;

/**
 * Judges a line that answers a question of kd. If kd asks no longer it is a command, so it may be nothing that harms
 * as one. An empty line ends the question.
 */
export function answerVerdict(line: string, options: PolicyOptions): Verdict {
  if (line.trim() === '') return { allowed: true, effects: ['reads target'] };
  const listed = checkSecurity(line, options.security);
  if (listed !== undefined) return forbidden(line, listed);
  if (!VALUES.test(line)) return verdict(line, options);
  const part: Part = { text: line, effects: ['writes target'] };
  return suffices(options.level, 'debug')
    ? { allowed: true, effects: part.effects }
    : refused(options.level, part);
}

/** The level of a name that a person wrote; undefined when there is none of this name. */
export function levelNamed(name: string): Level | undefined {
  return LEVELS.find((level) => level === name);
}
