/** What a command does, and which level lets an agent do it. */
import { LEVELS, type Level } from '../config/levels.ts';

export { LEVELS, type Level };

/** The classes of commands (kd-behaviour.md §11.1). `unclear`: it could not be parsed, or nobody knows what it does. */
export type Effect =
  | 'reads target'
  | 'writes target'
  | 'controls execution'
  | 'ends session'
  | 'host program'
  | 'host code'
  | 'host file read'
  | 'host file write'
  | 'network'
  | 'changes parsing'
  | 'heavy on the link'
  | 'unclear';

/** What a command needs; `never`: no level gives it to an agent. */
export type Need = Level | 'never';

interface EffectFacts {
  readonly needs: Need;
  /** Behind "it". */
  readonly says: string;
}

const FACTS: Readonly<Record<Effect, EffectFacts>> = {
  'reads target': { needs: 'inspect', says: 'reads the target' },
  'heavy on the link': { needs: 'inspect', says: 'moves much over the link' },
  'writes target': { needs: 'debug', says: 'writes to the target' },
  'controls execution': { needs: 'debug', says: 'controls what the target executes' },
  'host program': { needs: 'unrestricted', says: 'runs a program on the host' },
  'host code': { needs: 'unrestricted', says: 'loads code into the debugger on the host' },
  'host file read': { needs: 'unrestricted', says: 'reads files of the host' },
  'host file write': { needs: 'unrestricted', says: 'writes files of the host' },
  network: { needs: 'unrestricted', says: 'uses the network from the host' },
  'changes parsing': {
    needs: 'unrestricted',
    says: 'changes how the debugger reads later commands or prints their output',
  },
  unclear: { needs: 'unrestricted', says: 'cannot be understood with certainty' },
  'ends session': { needs: 'never', says: 'ends the session and can leave the guest frozen' },
};

const ORDER: readonly Need[] = [...LEVELS, 'never'];

/** Positive when `one` needs more than `other`. */
export function compareNeeds(one: Need, other: Need): number {
  return ORDER.indexOf(one) - ORDER.indexOf(other);
}

/** Does a level give what is needed? */
export function suffices(level: Level, need: Need): boolean {
  return compareNeeds(level, need) >= 0;
}

/** The level that an effect needs. */
export function needOf(effect: Effect): Need {
  return FACTS[effect].needs;
}

/** The effect that needs most. */
export function gravest(effects: readonly Effect[]): Effect {
  return effects.reduce<Effect>(
    (worst, one) => (compareNeeds(needOf(one), needOf(worst)) > 0 ? one : worst),
    effects[0] ?? 'reads target',
  );
}

/** An effect as the end of a sentence: `writes to the target`. */
export function describeEffect(effect: Effect): string {
  return FACTS[effect].says;
}
