/** What a refusal says, and what the lists of the configuration take away. */
import { describe, expect, test } from 'vitest';
import { answerVerdict, checkSecurity, levelNamed, verdict } from '../../../src/policy/verdict.ts';

const none = { allowed_command_prefixes: [], denied_patterns: [] };
const refusal = (line: string, level: 'inspect' | 'debug' | 'unrestricted') => {
  const found = verdict(line, { level, security: none });
  if (found.allowed) throw new Error(`${line} is allowed`);
  return found;
};

describe('a refusal', () => {
  test('names the command, its effect and the level that allows it', () => {
    expect(refusal('k; eb @rsp 90; lm', 'inspect')).toEqual({
      allowed: false,
      part: 'eb @rsp 90',
      effect: 'writes target',
      needs: 'debug',
      message:
        'Not sent: "eb @rsp 90" writes to the target. An agent may do this at level "debug"; the level is "inspect", and a person sets it.',
    });
  });

  test('names the safe way where there is one', () => {
    expect(refusal('bp nt!X "k;.logopen x"', 'debug')).toMatchObject({
      part: '.logopen x',
      effect: 'host file write',
      saferWay: 'read_output: the whole session is kept already.',
    });
    expect(refusal('k;qd', 'unrestricted').message).toMatch(
      /No level lets an agent do this\. Instead: stop_kd/,
    );
    expect(refusal('.sympath \\\\evil\\x', 'debug').message).toMatch(/uses the network.*Instead: \.symfix/);
  });

  test('says why a line cannot be understood', () => {
    expect(refusal('k; foo', 'debug').message).toMatch(/"foo" cannot be understood.*by its first letters/);
    expect(refusal('.if (1) { k', 'debug').message).toMatch(/\{ has no matching \}/);
    expect(refusal('!mimikatz', 'debug').message).toMatch(/may load or download code/);
  });

  test('meets a line that kd may cut: its end would be a command', () => {
    expect(refusal(`.echo ${'a'.repeat(4080)}.shell x`, 'debug').message).toMatch(/at most 4000 characters/);
  });

  test('names what needs most, wherever it stands', () => {
    expect(refusal('eb @rsp 1; .shell x', 'inspect').part).toBe('.shell x');
  });
});

describe('what passes', () => {
  test('comes with its effects', () => {
    expect(verdict('k; eb @rsp 1; g', { level: 'debug', security: none })).toEqual({
      allowed: true,
      effects: ['reads target', 'writes target', 'controls execution'],
    });
    expect(verdict('.shell dir', { level: 'unrestricted', security: none })).toMatchObject({ allowed: true });
    expect(verdict('foo "', { level: 'unrestricted', security: none })).toEqual({
      allowed: true,
      effects: ['unclear'],
    });
  });

  test('at unrestricted is not what ends the session, even if nothing else is understood', () => {
    expect(refusal('foo; q', 'unrestricted').needs).toBe('never');
  });
});

describe('an answer to a question of kd', () => {
  const answer = (line: string, level: 'inspect' | 'debug') =>
    answerVerdict(line, { level, security: none }).allowed;

  test('may be values or a letter where the target may be written, and nothing anywhere', () => {
    expect(
      ['41', '41 42 0x43', 'fffff803`78806e40', 'b', 'I', ''].map((line) => answer(line, 'debug')),
    ).not.toContain(false);
    expect([answer('', 'inspect'), answer('41', 'inspect')]).toEqual([true, false]);
  });

  test('is no way to send a command that is refused', () => {
    expect(
      ['.shell calc', 'q', '41;.shell x', '$$<x', '"; q'].map((line) => answer(line, 'debug')),
    ).not.toContain(true);
  });
});

test('a level has a name', () => {
  expect([levelNamed('debug'), levelNamed('root')]).toEqual(['debug', undefined]);
});

describe('the lists of the configuration', () => {
  const lists = (denied: string[], allowed: string[] = []) => ({
    denied_patterns: denied,
    allowed_command_prefixes: allowed,
  });

  test('forbid a text in any case, anywhere in the line', () => {
    expect(checkSecurity('k; .SHELL dir', lists(['.shell']))).toContain(
      '".shell" (security.denied_patterns)',
    );
    expect(checkSecurity('xshell', lists(['.shell']))).toBeUndefined();
  });

  test('forbid what a regular expression matches', () => {
    expect(checkSecurity('EB 0 1', lists(['/^\\s*e[abdqw]/']))).toContain('security.denied_patterns');
    expect(checkSecurity('k; eb 0 1', lists(['/^\\s*e[abdqw]/']))).toContain('security.denied_patterns');
  });

  test('allow by prefix, each command of the line', () => {
    expect(checkSecurity('LM; k', lists([], ['lm', 'k']))).toBeUndefined();
    expect(checkSecurity('lm; eb 0 1', lists([], ['lm', 'k']))).toContain('"eb 0 1" begins with none of');
  });

  test('forbid nothing when they are empty', () => {
    expect(checkSecurity('.shell', lists([]))).toBeUndefined();
  });

  test('allow by prefix also inside quotes and braces, and nothing that cannot be told apart', () => {
    expect(checkSecurity('bp nt!X "k;g"', lists([], ['bp', 'k', 'g']))).toBeUndefined();
    expect(checkSecurity('bp nt!X "k;g"', lists([], ['bp', 'k']))).toContain('"g" begins with none of');
    expect(checkSecurity('.if (1) { eb 0 1 }', lists([], ['.if']))).toContain('"eb 0 1" begins with none of');
    expect(checkSecurity('lm "a;b', lists([], ['lm']))).toContain('cannot be told apart');
  });

  test('forbid by pattern also inside quotes and braces', () => {
    expect(checkSecurity('bp nt!X "k; eb 0 1"', lists(['/^eb/']))).toContain('security.denied_patterns');
  });

  test('take from a level, and give nothing', () => {
    expect(verdict('k', { level: 'unrestricted', security: lists([], ['r']) }).allowed).toBe(false);
    expect(verdict('.shell x', { level: 'debug', security: lists([], ['.shell']) }).allowed).toBe(false);
  });
});
