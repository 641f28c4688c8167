/**
 * What agents may send to kd: the one place that decides. Persons may send everything; what their commands do is told
 * all the same.
 */
import type { Effect } from '../policy/effects.ts';
import { describeEffect, needOf, suffices } from '../policy/effects.ts';
import { startEffect } from '../policy/start.ts';
import { answerVerdict, type Verdict, verdict } from '../policy/verdict.ts';
import { type ClientIdentity, type HostStart, type Level, type Limits, NO_LISTS } from './protocol.ts';
import { refuse } from './refusals.ts';

/** A line of a client. */
export interface Asked {
  readonly line: string;
  /** It answers a question of kd. */
  readonly answer: boolean;
  readonly by: ClientIdentity;
  /** Of the client's own configuration. */
  readonly limits?: Limits | undefined;
}

/** What a line does and, if it must not be sent, why and what to do instead. */
export interface Judgement {
  readonly effects: readonly Effect[];
  readonly refusal?: string;
}

/** How a person raises a level, as the end of a sentence. */
const HOW_TO_RAISE =
  'ask the person to raise the level ("KD: Set Agent Level…" in VS Code, or security.level in the configuration and a new session)';

export class Permission {
  readonly #limits: Limits;
  readonly #symbolPath: string | undefined;
  #level: Level;
  #revision = 0;
  /** Up to here a person gave their word for this session: it counts more than what a client's configuration says. */
  #consent: Level = 'inspect';

  /** `symbolPath`: the one that the configuration gave kd; an agent may go back to it. */
  constructor(limits: Limits, symbolPath?: string) {
    this.#limits = limits;
    this.#level = limits.level;
    this.#symbolPath = symbolPath;
  }

  /** Of the session. */
  get level(): Level {
    return this.#level;
  }

  /** As they are now: for a session that goes on where this one ends. */
  get limits(): Limits {
    return { ...this.#limits, level: this.#level };
  }

  /** Grows with each change: what was judged before may be judged otherwise now. */
  get revision(): number {
    return this.#revision;
  }

  /** Anyone may lower the level. @throws when an agent raises it */
  setLevel(level: Level, by: ClientIdentity): void {
    const person = by.kind === 'person';
    if (!suffices(this.#level, level) && !person) {
      throw refuse(
        'controlled',
        `Only a person can raise the level of a session; it is "${this.#level}". Next: ${HOW_TO_RAISE}.`,
      );
    }
    this.#consent = person && suffices(level, this.#level) ? level : lower(this.#consent, level);
    this.#level = level;
    this.#revision++;
  }

  judge(asked: Asked): Judgement {
    const effects = effectsOf(asked);
    if (asked.by.kind === 'person') return { effects };
    const usual = this.#levelFor(asked.limits);
    // It does nothing that the configuration did not.
    const level = usual !== 'inspect' && this.#isOwnSymbolPath(asked) ? 'unrestricted' : usual;
    const lists = [this.#limits.security, ...(hasLists(asked.limits) ? [asked.limits.security] : [])];
    for (const security of lists) {
      const found = ask(asked, { level, security });
      if (!found.allowed) return { effects, refusal: withNextStep(found) };
    }
    return { effects };
  }

  #isOwnSymbolPath({ line, answer }: Asked): boolean {
    const path = /^\s*\.sympath\s+([^\s+].*)$/i.exec(line)?.[1];
    return !answer && path !== undefined && path.trim() === this.#symbolPath?.trim();
  }

  #levelFor(own: Limits | undefined): Level {
    if (own === undefined) return this.#level;
    return lower(this.#level, suffices(this.#consent, own.level) ? this.#consent : own.level);
  }
}

function hasLists(limits: Limits | undefined): limits is Limits {
  if (limits === undefined) return false;
  const { allowed_command_prefixes, denied_patterns } = limits.security;
  return allowed_command_prefixes.length + denied_patterns.length > 0;
}

type Line = Pick<Asked, 'line' | 'answer'>;

function ask({ line, answer }: Line, limits: Limits): Verdict {
  return answer ? answerVerdict(line, limits) : verdict(line, limits);
}

/** What a line does, whoever sends it. */
export function effectsOf(asked: Line): readonly Effect[] {
  const found = ask(asked, { level: 'unrestricted', security: NO_LISTS });
  return found.allowed ? found.effects : [found.effect];
}

function withNextStep({ message, effect, needs, saferWay }: Verdict & { readonly allowed: false }): string {
  if (needs === 'never') return message;
  if (saferWay !== undefined) return `${message} Or: ${HOW_TO_RAISE}.`;
  // More often a slip than a need.
  const plainly = effect === 'unclear' ? 'check the spelling, send plainer commands one per line, or ' : '';
  return `${message} Next: ${plainly}${HOW_TO_RAISE}.`;
}

function lower(one: Level, other: Level): Level {
  return suffices(one, other) ? other : one;
}

/** Why an agent must not start this session; undefined when it may, or a person starts it. */
export function startRefusal({
  startedBy,
  limits,
  connection,
  rescues,
}: Pick<HostStart, 'startedBy' | 'limits' | 'connection' | 'rescues'>): string | undefined {
  // The connection of a rescue is that of a session that ran.
  if (startedBy.kind === 'person' || rescues === true) return undefined;
  const found = startEffect(connection);
  if (found === undefined || suffices(limits.level, needOf(found.effect))) return undefined;
  const { effect, part } = found;
  return `Not started: ${JSON.stringify(part)} ${describeEffect(effect)}. An agent may do this at level "${needOf(effect)}"; the level is "${limits.level}". Next: ask the person to start this session (KD: Start… in VS Code) or to copy the file here, then use it.`;
}
