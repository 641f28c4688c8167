/** The MASM expression evaluator: numbers are hexadecimal by default, symbols are addresses, registers are values. */
import { readNumber } from '../machine/memory.ts';
import { isRegister } from '../machine/processor.ts';
import { addressOf } from '../machine/symbols.ts';
import { CommandError } from './command.ts';
import { type Debugger, knownModules, registers } from './debugger.ts';

const TOKEN =
  /\s*(?:(0x[0-9a-f`]+|0n[0-9]+|0y[01]+|0t[0-7]+|[0-9a-f]+`[0-9a-f]+)|(>>>?|<<|==|!=|>=|<=|[-+*/%&|^~()[\]<>=])|(@?\$?[A-Za-z_][\w$]*(?:!~?[\w$?@~]+)?|[0-9][0-9a-f`]*(?![\w!])|[0-9]\w*(?:![\w$]+)?|@@?\$?\w+|\$\w+|!))/iy;

const READS: Readonly<Record<string, 1 | 2 | 4 | 8>> = { by: 1, wo: 2, dwo: 4, qwo: 8, poi: 8, $poi: 8 };

const PRIORITY: Readonly<Record<string, number>> = {
  '|': 1,
  or: 1,
  '^': 2,
  xor: 2,
  '&': 3,
  and: 3,
  '==': 4,
  '=': 4,
  '!=': 4,
  '<': 5,
  '>': 5,
  '<=': 5,
  '>=': 5,
  '<<': 6,
  '>>': 6,
  '>>>': 6,
  '+': 7,
  '-': 7,
  '*': 8,
  '/': 8,
  '%': 8,
  mod: 8,
};

const flag = (b: boolean) => (b ? 1n : 0n);
const OPERATIONS: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  '|': (a, b) => a | b,
  or: (a, b) => a | b,
  '^': (a, b) => a ^ b,
  xor: (a, b) => a ^ b,
  '&': (a, b) => a & b,
  and: (a, b) => a & b,
  '==': (a, b) => flag(a === b),
  '=': (a, b) => flag(a === b),
  '!=': (a, b) => flag(a !== b),
  '<': (a, b) => flag(a < b),
  '>': (a, b) => flag(a > b),
  '<=': (a, b) => flag(a <= b),
  '>=': (a, b) => flag(a >= b),
  '<<': (a, b) => a << (b & 63n),
  '>>': (a, b) => a >> (b & 63n),
  '>>>': (a, b) => a >> (b & 63n),
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
};

/** Value of an expression that begins at `from`, and where it ends. */
export interface Parsed {
  readonly value: bigint;
  readonly end: number;
}

/** Evaluates the whole text. @throws CommandError with kd's words. */
export function evaluate(kd: Debugger, text: string): bigint {
  const parsed = parseExpression(kd, text, 0);
  const extra = text.slice(parsed.end).trim();
  if (extra !== '') throw new CommandError(`Extra character error at '${extra}'\n`);
  return parsed.value;
}

/** Evaluates as much as forms an expression from `from` on. A blank between two operands ends it. */
export function parseExpression(kd: Debugger, text: string, from: number): Parsed {
  let at = from;

  function peek(): { readonly text: string; readonly end: number; readonly spaced: boolean } | undefined {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (!match) return undefined;
    const word = match[1] ?? match[2] ?? match[3] ?? '';
    return { text: word, end: TOKEN.lastIndex, spaced: /^\s/.test(match[0]) };
  }

  function binary(level: number): bigint {
    let left = unary();
    for (;;) {
      const token = peek();
      const priority = token && PRIORITY[token.text.toLowerCase()];
      if (!token || priority === undefined || priority < level) return left;
      at = token.end;
      const right = binary(priority + 1);
      left = apply(token.text.toLowerCase(), left, right);
    }
  }

  function unary(): bigint {
    const token = peek();
    if (!token) {
      const rest = text.slice(at).trim();
      throw new CommandError(
        rest === '' ? "Numeric expression missing from '<EOL>'\n" : `Syntax error at '${rest}'\n`,
      );
    }
    at = token.end;
    const word = token.text.toLowerCase();
    if (word === '-') return BigInt.asUintN(64, -unary());
    if (word === '+') return unary();
    if (word === '~' || word === 'not') return BigInt.asUintN(64, ~unary());
    if (word === '!') return flag(unary() === 0n);
    if (word === '(') {
      const value = binary(1);
      const close = peek();
      if (!close) throw new CommandError("Syntax error at '<EOL>'\n");
      if (close.text !== ')') throw new CommandError(`Missing ')' at '${text.slice(at).trim()}'\n`);
      at = close.end;
      return value;
    }
    const size = READS[word];
    if (size !== undefined && /^\s*[(@\w$]/.test(text.slice(at))) {
      const address = unary();
      const value = readNumber(kd.machine.memory, address, size);
      if (value === undefined) throw new CommandError(`Memory access error at '${text.slice(at)}'\n`);
      return value;
    }
    return operand(kd, token.text, text.slice(token.end - token.text.length));
  }

  const value = BigInt.asUintN(64, binary(1));
  return { value, end: at };
}

function apply(operator: string, left: bigint, right: bigint): bigint {
  if (operator === '/' || operator === '%' || operator === 'mod') {
    if (right === 0n) throw new CommandError("Divide by zero error at ''\n");
    return operator === '/' ? left / right : left % right;
  }
  const operation = OPERATIONS[operator];
  return operation ? BigInt.asUintN(64, operation(left, right)) : left;
}

function operand(kd: Debugger, word: string, rest: string): bigint {
  const lower = word.toLowerCase().replaceAll('`', '');
  const prefixed = /^0([xnyt])(.+)$/.exec(lower);
  if (prefixed) {
    const digits = prefixed[2] ?? '0';
    return BigInt({ x: '0x', n: '', y: '0b', t: '0o' }[prefixed[1] ?? 'x'] + digits);
  }
  const bare = lower.replace(/^@@?/, '');
  if (bare.startsWith('$')) return pseudoRegister(kd, bare.slice(1));
  if (lower.startsWith('@') && isRegister(bare)) return registers(kd)[bare];
  if (kd.radix === 16 ? /^[0-9a-f]+$/.test(lower) : /^[0-9]+$/.test(lower))
    return BigInt((kd.radix === 16 ? '0x' : '') + lower);
  const symbol = addressOf(knownModules(kd), bare);
  if (symbol !== undefined) return symbol;
  if (isRegister(bare)) return registers(kd)[bare];
  throw new CommandError(`Couldn't resolve error at '${rest.trim()}'\n`);
}

function pseudoRegister(kd: Debugger, name: string): bigint {
  const set = kd.pseudo.get(name);
  if (set !== undefined) return set;
  switch (name) {
    case 'ip':
    case 'scopeip':
      return registers(kd).rip;
    case 'csp':
      return registers(kd).rsp;
    case 'ra':
      return readNumber(kd.machine.memory, registers(kd).rsp, 8) ?? 0n;
    case 'ptrsize':
      return 8n;
    case 'pagesize':
      return 4096n;
    case 'proc':
      return kd.process ?? 0n;
    default:
      if (/^(t1?\d|retreg|thread|teb|peb|tid|tpid|callret|bug_code|ea|p)$/.test(name)) return 0n;
      throw new CommandError(`Couldn't resolve error at '$${name}'\n`);
  }
}
