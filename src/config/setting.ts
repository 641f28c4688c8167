/** The kinds of settings there are, as zod types that carry what readers, messages and the reference need. */
import * as z from 'zod';

/** What a reader, a message and the reference need to know about one key besides its zod type. */
export interface SettingMeta {
  readonly type: 'path' | 'symbol-path' | 'text' | 'integer' | 'number' | 'boolean' | 'choice' | 'list';
  /** What is expected, as it continues "expected …". */
  readonly expected: string;
  readonly meaning: string;
  /** Default as the reference shows it, where the default is not a plain value. */
  readonly defaultText?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly choices?: readonly string[];
  /** Values above it are lowered to it, with a warning. */
  readonly clampTo?: number;
  /** The key is accepted and does nothing any more; why. */
  readonly obsolete?: string;
  /** Its name where there are no sections (VS Code, environment), if the key alone says too little: `security.level`. */
  readonly flatName?: string;
  /** Never shown, never a VS Code setting: those are synchronised and shared. */
  readonly secret?: boolean;
}

/** Metadata by zod type; see {@link SettingMeta}. */
export const settingMeta = z.registry<SettingMeta>();

/** No call lasts longer: clients give up after 60 s (design.md §5). */
export const LONGEST_CALL_SEC = 45;

const asNumber = (value: unknown): unknown =>
  typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value;

type Text = Pick<SettingMeta, 'meaning' | 'defaultText' | 'obsolete' | 'secret'>;

/** A text, a path or a symbol path; none by default. */
export const text = (meta: Text, type: 'text' | 'path' | 'symbol-path' = 'text') =>
  z
    .string()
    .optional()
    .register(settingMeta, {
      ...meta,
      type,
      expected: type === 'text' ? 'a text' : type === 'path' ? 'a path' : 'a symbol path',
    });

/** A number; quoted numbers were accepted by the predecessor. */
export const numeric = (
  meta: Pick<SettingMeta, 'meaning' | 'minimum' | 'maximum' | 'clampTo' | 'obsolete'> & { default: number },
  type: 'integer' | 'number',
) => {
  const low = meta.minimum ?? 0;
  const high = meta.maximum ?? Number.MAX_SAFE_INTEGER;
  const range = meta.maximum === undefined ? `${low} or more` : `from ${low} to ${high}`;
  const base = (type === 'integer' ? z.int() : z.number()).min(low).max(high);
  const { default: fallback, ...rest } = meta;
  return z
    .preprocess(asNumber, base)
    .transform((value) => (meta.clampTo === undefined ? value : Math.min(value, meta.clampTo)))
    .default(fallback)
    .register(settingMeta, {
      ...rest,
      type,
      expected: `${type === 'integer' ? 'an integer' : 'a number'} ${range}`,
    });
};

/** Yes or no. */
export const flag = (meta: { meaning: string; default: boolean }) =>
  z
    .boolean()
    .default(meta.default)
    .register(settingMeta, { meaning: meta.meaning, type: 'boolean', expected: 'true or false' });

/** A list of texts; empty by default. */
export const list = (meaning: string, entry: z.ZodType<string, string>) =>
  z.array(entry).default([]).register(settingMeta, { meaning, type: 'list', expected: 'a list of texts' });

/** One of several words. */
export const choice = <const T extends string>(
  choices: readonly [T, ...T[]],
  fallback: NoInfer<T>,
  meaning: string,
  flatName?: string,
) =>
  z
    .enum(choices)
    .default(() => fallback)
    .register(settingMeta, {
      type: 'choice',
      choices,
      expected: `one of ${choices.join(', ')}`,
      meaning,
      ...(flatName === undefined ? {} : { flatName }),
    });
