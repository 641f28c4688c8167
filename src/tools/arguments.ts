/**
 * From what a client sends to checked arguments.
 *
 * Clients and models send numbers as strings, `"true"`, a list of one, lists of lines, `null` for "left out": taken for what
 * they mean. Everything else is refused by name, with what was expected and what was found (never the value: it may be a key).
 */
import { nearest } from '../config/error.ts';
import { type Argument, type Arguments, type ArgumentValue, type Tool, ToolError } from './tool.ts';

/** @throws ToolError that names every wrong argument at once. */
export function checkArguments(tool: Tool, raw: unknown): Arguments {
  const given = asObject(tool, raw);
  const values: Record<string, ArgumentValue> = {};
  const problems: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    const argument = Object.hasOwn(tool.args, name) ? tool.args[name] : undefined;
    if (!argument) {
      problems.push(unknownArgument(tool, name));
      continue;
    }
    if (value === null || value === undefined) continue;
    const converted = convert(argument, value);
    if (converted.ok) values[name] = converted.value;
    else problems.push(`${name}: expected ${expected(argument)}, found ${converted.found}`);
  }
  for (const name of tool.required ?? []) {
    if (values[name] === undefined && !problems.some((problem) => problem.startsWith(`${name}:`))) {
      problems.push(`${name}: missing, expected ${expected(tool.args[name])}`);
    }
  }
  if (problems.length > 0)
    throw new ToolError(`${tool.name} was not called. ${problems.join('; ')}. ${usage(tool)}`);
  return values;
}

/** `arguments: start_kd(port, key, …)`: the names, the optional ones in brackets. */
export function usage(tool: Tool): string {
  const required = new Set(tool.required ?? []);
  const names = Object.keys(tool.args).map((name) => (required.has(name) ? name : `[${name}]`));
  return names.length === 0 ? `${tool.name} takes no arguments.` : `Arguments: ${names.join(', ')}.`;
}

function asObject(tool: Tool, raw: unknown): Record<string, unknown> {
  if (raw === undefined || raw === null) return {};
  const value = typeof raw === 'string' ? parsed(raw) : raw;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new ToolError(
    `${tool.name} was not called. arguments: expected an object, found ${kindOf(raw)}. ${usage(tool)}`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function unknownArgument(tool: Tool, name: string): string {
  // What is no name may be a value in the wrong place, perhaps the key.
  if (!/^\w[\w-]{0,39}$/.test(name)) return 'unknown argument (not a name)';
  const guess = nearest(name, Object.keys(tool.args));
  return `unknown argument "${name}"${guess === undefined ? '' : ` (did you mean ${guess}?)`}`;
}

type Converted =
  | { readonly ok: true; readonly value: ArgumentValue }
  | { readonly ok: false; readonly found: string };

function convert(argument: Argument, value: unknown): Converted {
  switch (argument.type) {
    case 'string':
      return toText(argument, value);
    case 'boolean':
      return toBoolean(value);
    case 'integer':
    case 'number':
      return toNumber(argument, value);
  }
}

function toText(argument: Extract<Argument, { type: 'string' }>, value: unknown): Converted {
  const text = Array.isArray(value) ? listText(value) : scalarText(value);
  if (text === undefined) return { ok: false, found: kindOf(value) };
  if (!argument.enum || argument.enum.includes(text)) return { ok: true, value: text };
  const match = argument.enum.find((word) => word === text.trim().toLowerCase());
  if (match !== undefined) return { ok: true, value: match };
  // One of our own words is no secret, whatever was given.
  const guess = nearest(text, argument.enum);
  return { ok: false, found: `another word${guess === undefined ? '' : ` (did you mean ${guess}?)`}` };
}

function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** A list of texts is a text of several lines. */
function listText(value: readonly unknown[]): string | undefined {
  const lines = value.map(scalarText);
  return lines.every((line) => line !== undefined) && lines.length > 0 ? lines.join('\n') : undefined;
}

function toBoolean(value: unknown): Converted {
  const only = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (typeof only === 'boolean') return { ok: true, value: only };
  const word = typeof only === 'string' ? only.trim().toLowerCase() : only;
  if (word === 'true' || word === 'yes' || word === '1' || word === 1) return { ok: true, value: true };
  if (word === 'false' || word === 'no' || word === '0' || word === 0) return { ok: true, value: false };
  return { ok: false, found: kindOf(value) };
}

function toNumber(argument: Extract<Argument, { type: 'integer' | 'number' }>, value: unknown): Converted {
  const only = Array.isArray(value) && value.length === 1 ? value[0] : value;
  const number =
    typeof only === 'string' && /^\s*[-+]?(\d[\d_,]*)?\.?\d+\s*$/.test(only)
      ? Number(only.replace(/[_,\s]/g, ''))
      : only;
  if (typeof number !== 'number' || !Number.isFinite(number)) return { ok: false, found: kindOf(value) };
  if (argument.type === 'integer' && !Number.isSafeInteger(number))
    return { ok: false, found: String(number) };
  if (argument.minimum !== undefined && number < argument.minimum)
    return { ok: false, found: String(number) };
  if (argument.maximum !== undefined && number > argument.maximum)
    return { ok: false, found: String(number) };
  return { ok: true, value: number };
}

function expected(argument: Argument | undefined): string {
  if (!argument) return 'a value';
  switch (argument.type) {
    case 'string':
      return argument.enum ? `one of ${argument.enum.join(' | ')}` : 'a string';
    case 'boolean':
      return 'true or false';
    case 'integer':
    case 'number': {
      const kind = argument.type === 'integer' ? 'an integer' : 'a number';
      if (argument.minimum !== undefined && argument.maximum !== undefined) {
        return `${kind} from ${argument.minimum} to ${argument.maximum}`;
      }
      return argument.minimum === undefined ? kind : `${kind}, at least ${argument.minimum}`;
    }
  }
}

/** The kind of a value, never the value. */
function kindOf(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (value === null) return 'null';
  if (value === '') return 'an empty string';
  switch (typeof value) {
    case 'object':
      return 'an object';
    case 'string':
      return 'a string';
    case 'number':
      return 'a number';
    case 'boolean':
      return 'a boolean';
    default:
      return typeof value;
  }
}

/** Reads a checked argument. */
export function text(args: Arguments, name: string): string | undefined {
  const value = args[name];
  return typeof value === 'string' ? value : undefined;
}

export function number(args: Arguments, name: string): number | undefined {
  const value = args[name];
  return typeof value === 'number' ? value : undefined;
}

export function flag(args: Arguments, name: string): boolean | undefined {
  const value = args[name];
  return typeof value === 'boolean' ? value : undefined;
}
