// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is what people write in their files.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConfigError } from '../../../src/config/error.ts';
import { type LoadOptions, loadConfig } from '../../../src/config/load.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kd-mcp-config-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const isolated = (options: LoadOptions = {}): LoadOptions => ({
  env: {},
  home: folder,
  configFolder: join(folder, 'none'),
  ...options,
});

function load(yaml: string | Buffer, options: LoadOptions = {}) {
  const path = join(folder, 'config.yaml');
  writeFileSync(path, yaml);
  return loadConfig(isolated({ path, ...options }));
}

const refusal = (yaml: string, options: LoadOptions = {}): string => {
  try {
    load(yaml, options);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('was accepted');
};

const PREDECESSOR = `
# Copied from an installation of the Python server
kd:
  kd_exe: "C:\\\\Program Files (x86)\\\\Windows Kits\\\\10\\\\Debuggers\\\\x64\\\\kd.exe"
  symbol_path: "srv*C:\\\\symbols*https://msdl.microsoft.com/download/symbols"
  default_transport: "net"
  default_port: 50000
  default_key: "1.2.3.4"
  state_file: "C:\\\\mcp-state\\\\kd-session.json"
  startup_timeout_sec: 30
  command_timeout_sec: 60
  output_tail_chars: 200000
  auto_initial_break: no
  continue_wait_sec: 5.0
  server_port: 50055
  remote_server: "127.0.0.1"
  server_state_file: "C:\\\\mcp-state\\\\kd-server.json"
  workdir: "C:\\\\mcp-state\\\\kd-work"
  server_startup_wait_sec: 1.0

security:
  allowed_command_prefixes: []
  denied_patterns:
    - ".shell"
    - "!for_each_module"
`;

describe('a configuration file', () => {
  test('of the predecessor is read as it is, with warnings for what has no effect', () => {
    const { config, warnings } = load(PREDECESSOR);
    expect(config.kd).toMatchObject({
      kd_exe: 'C:\\Program Files (x86)\\Windows Kits\\10\\Debuggers\\x64\\kd.exe',
      default_port: 50000,
      state_file: 'C:\\mcp-state\\kd-session.json',
      command_timeout_sec: 45,
      auto_initial_break: false,
      halt_lease_sec: 300,
      orphan_grace_sec: 60,
    });
    expect(config.security.denied_patterns).toEqual(['.shell', '!for_each_module']);
    for (const key of [
      'server_port',
      'remote_server',
      'server_state_file',
      'server_startup_wait_sec',
      'command_timeout_sec',
    ]) {
      expect(warnings.filter((warning) => warning.includes(`kd.${key}`))).toHaveLength(1);
    }
    expect(warnings).toHaveLength(5);
  });

  test('may be empty or hold empty sections and empty values', () => {
    for (const yaml of ['', '# nothing', 'kd:\nsecurity:\n', 'kd:\n  kd_exe:\n  symbol_path: ""\n']) {
      const { config } = load(yaml);
      expect(config.kd.kd_exe).toBeUndefined();
      expect(config.kd.command_timeout_sec).toBe(30);
    }
  });

  test('may be UTF-16 with a byte-order mark, as Windows editors write it', () => {
    const { config } = load(Buffer.from('\ufeffkd:\n  default_port: 50001\n', 'utf16le'));
    expect(config.kd.default_port).toBe(50001);
  });

  test('with an unknown key is refused: file, line, key and the key that was meant', () => {
    const message = refusal('kd:\n  halt_leese_sec: 5\n');
    expect(message).toContain(`${join(folder, 'config.yaml')} line 2`);
    expect(message).toContain('unknown key kd.halt_leese_sec: did you mean halt_lease_sec?');
    expect(refusal('kd:\n  deniedpatterns: []\n')).toContain('kd.deniedpatterns');
    expect(refusal('kd:\n  denied_patterns: []\n')).toContain('belongs under security:');
    expect(refusal('state_file: x\n')).toContain('It belongs under kd:.');
    expect(refusal('secruity: {}\n')).toContain('Did you mean security?');
  });

  test.each([
    [
      'kd:\n  default_port: fifty\n',
      'kd.default_port: expected an integer from 1024 to 65535, found the string "fifty".',
    ],
    [
      'kd:\n  default_port: 70000\n',
      'kd.default_port: expected an integer from 1024 to 65535, found the number 70000.',
    ],
    ['kd:\n  auto_initial_break: 3\n', 'kd.auto_initial_break: expected true or false, found the number 3.'],
    ['kd:\n  default_transport: serial\n', 'kd.default_transport: expected one of net, com,'],
    ['kd: 5\n', 'kd: expected a mapping of keys to values, found the number 5.'],
    [
      'security:\n  denied_patterns: .shell\n',
      'security.denied_patterns: expected a list of texts, found the string ".shell".',
    ],
    [
      'security:\n  denied_patterns: ["/(/"]\n',
      'security.denied_patterns.0: expected a text or a /regular expression/ (not a regular expression',
    ],
    ['- a\n', 'expected the keys kd: and security:, found a list'],
  ])('with a wrong type is refused: %j', (yaml, expected) => {
    expect(refusal(yaml)).toContain(expected);
  });

  test('names every wrong key at once', () => {
    expect(refusal('kd:\n  default_port: x\n  halt_lease_sec: y\n').split('\n')).toHaveLength(2);
  });

  test('with a secret of the wrong type never has it in the message', () => {
    const message = refusal('kd:\n  default_key: 4711\n');
    expect(message).toContain('kd.default_key: expected a text, found a number.');
    expect(message).not.toContain('4711');
  });

  test('that is no YAML is refused with line and column', () => {
    const message = refusal('kd:\n  kd_exe: "C:\\Program Files\\x"\n');
    expect(message).toContain('config.yaml line 2, column ');
    expect(message).toContain('single quotes');
  });

  test('with a command that YAML takes for its own syntax is refused, with the cure', () => {
    for (const entry of ['!for_each_module', '*foo']) {
      const message = refusal(`security:\n  denied_patterns:\n    - ${entry}\n`);
      expect(message).toContain('config.yaml');
      expect(message).toContain('begins with ! or * in quotes');
    }
    expect(refusal('security:\n  denied_patterns: [""]\n')).toContain('denied_patterns.0: expected a text');
  });

  test('takes quoted numbers, as the predecessor did', () => {
    expect(load('kd:\n  default_port: "50003"\n  continue_wait_sec: "2.5"\n').config.kd).toMatchObject({
      default_port: 50003,
      continue_wait_sec: 2.5,
    });
  });
});

describe('paths in it', () => {
  const expand = (value: string, env: Record<string, string> = {}) =>
    load(`kd:\n  state_file: '${value}'\n`, { env }).config.kd.state_file;

  test('have ~ and variables replaced and are relative to the file', () => {
    expect(expand('state.json')).toBe(join(folder, 'state.json'));
    expect(expand('~/x/state.json')).toBe(`${folder}/x/state.json`);
    expect(expand('${LAB}/state.json', { LAB: '/lab' })).toBe('/lab/state.json');
    expect(expand('$LAB/state.json', { LAB: '/lab' })).toBe('/lab/state.json');
    expect(expand('%lab%\\state.json', { LAB: 'D:\\lab' })).toBe('D:\\lab\\state.json');
    expect(expand('C:\\mcp-state\\s.json')).toBe('C:\\mcp-state\\s.json');
    expect(expand('\\\\host\\c$\\s.json')).toBe('\\\\host\\c$\\s.json');
  });

  test('know the usual folders even in an empty environment', () => {
    expect(expand('%LOCALAPPDATA%/s.json')).toBe(join(folder, 'AppData', 'Local', 's.json'));
    expect(expand('${HOME}/s.json')).toBe(`${folder}/s.json`);
  });

  test('with a variable that is not set are refused by name', () => {
    expect(refusal("kd:\n  state_file: '%NOPE%\\s.json'\n")).toContain(
      'kd.state_file: the environment variable NOPE is not set',
    );
  });

  test('leave a bare program name and the parts of a symbol path alone', () => {
    const { kd } = load("kd:\n  kd_exe: kd.exe\n  symbol_path: 'srv*%LAB%\\s*https://h/a%20b'\n", {
      env: { LAB: 'D:' },
    }).config;
    expect(kd.kd_exe).toBe('kd.exe');
    expect(kd.symbol_path).toBe('srv*D:\\s*https://h/a%20b');
  });
});

describe('finding the file', () => {
  test('--config comes before KD_MCP_CONFIG, which comes before the user folder', () => {
    const [a, b, user] = [join(folder, 'a.yaml'), join(folder, 'b.yaml'), join(folder, 'user')];
    mkdirSync(user);
    writeFileSync(a, 'kd: {default_port: 50001}');
    writeFileSync(b, 'kd: {default_port: 50002}');
    writeFileSync(join(user, 'config.yaml'), 'kd: {default_port: 50003}');
    const port = (options: LoadOptions) =>
      loadConfig(isolated({ configFolder: user, ...options })).config.kd.default_port;
    expect(port({ path: a, env: { KD_MCP_CONFIG: b } })).toBe(50001);
    expect(port({ env: { KD_MCP_CONFIG: b } })).toBe(50002);
    expect(port({})).toBe(50003);
  });

  test('a named file that is missing is an error that says who named it', () => {
    expect(() => loadConfig(isolated({ env: { KD_MCP_CONFIG: join(folder, 'no.yaml') } }))).toThrow(
      /no\.yaml named by KD_MCP_CONFIG does not exist/,
    );
    expect(() => loadConfig(isolated({ path: folder }))).toThrow(/cannot be read/);
  });

  test('no file at all gives the defaults and the paths that were tried', () => {
    const { path, searched, config } = loadConfig(isolated({ platform: 'win32' }));
    expect(path).toBeUndefined();
    expect(searched).toEqual([join(folder, 'none', 'config.yaml'), join(folder, 'none', 'config.yml')]);
    expect(config.kd.state_file).toBe('C:\\mcp-state\\kd-session.json');
    expect(loadConfig(isolated({ platform: 'linux' })).config.kd.state_file).toBe(
      `${folder}/mcp-state/kd-session.json`,
    );
  });

  test('works in a process with an empty environment', () => {
    const script = `import { loadConfig } from './src/config/load.ts'; import { homeFolder } from './src/config/home.ts';
      console.log(JSON.stringify({ searched: loadConfig().searched, home: homeFolder() }));`;
    for (const env of [{}, { HOME: '' }]) {
      const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
        env,
        encoding: 'utf8',
      });
      const { searched, home } = JSON.parse(output);
      expect(searched[0]).toMatch(/^([A-Z]:\\|\/).*kd-mcp.*config\.yaml$/);
      expect(home).toMatch(/^([A-Z]:\\|\/).*kd-mcp/);
    }
  });
});

describe('the other readers', () => {
  test('environment wins over the file, VS Code settings win over both', () => {
    const yaml = 'kd: {halt_lease_sec: 1, orphan_grace_sec: 1, default_port: 50001}';
    const { kd } = load(yaml, {
      env: { KD_MCP_HALT_LEASE_SEC: '2', KD_MCP_ORPHAN_GRACE_SEC: '2', KD_MCP_AUTO_INITIAL_BREAK: 'true' },
      settings: { 'kdMcp.haltLeaseSec': 3, 'kdMcp.tree.showEnded': true },
    }).config;
    expect(kd).toMatchObject({
      halt_lease_sec: 3,
      orphan_grace_sec: 2,
      default_port: 50001,
      auto_initial_break: true,
    });
  });

  test('patterns that deny add up', () => {
    const { security } = load('security: {denied_patterns: [.shell]}', {
      env: { KD_MCP_DENIED_PATTERNS: '.create\n/^e[bd]/' },
      settings: { 'kdMcp.deniedPatterns': ['.kill'] },
    }).config;
    expect(security.denied_patterns).toEqual(['.shell', '.create', '/^e[bd]/', '.kill']);
  });

  test('errors name the variable or the setting', () => {
    expect(refusal('', { env: { KD_MCP_DEFAULT_PORT: 'x' } })).toMatch(
      /^environment variable KD_MCP_DEFAULT_PORT: kd\.default_port: expected an integer/,
    );
    expect(refusal('', { settings: { 'kdMcp.defaultPort': 1 } })).toMatch(
      /^VS Code setting kdMcp\.defaultPort: /,
    );
  });

  test.each(['kdMcp.defaultKey', 'defaultKdnet'])('a secret is no VS Code setting: %s', (name) => {
    const message = refusal('', { settings: { [name]: 'topsecret' } });
    expect(message).toContain('configuration file');
    expect(message).not.toContain('topsecret');
  });
});

test('any text ends in a configuration or in a ConfigError, never in another error', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.string({
          unit: fc.constantFrom(
            'kd',
            'security',
            ':',
            ' ',
            '\n',
            '- ',
            '{',
            '}',
            '&a',
            '*a',
            '<<',
            '!!',
            '"',
            '__proto__',
            '? ',
            '2020-01-01',
          ),
        }),
      ),
      (yaml) => {
        try {
          load(yaml);
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError);
        }
      },
    ),
    { numRuns: 200 },
  );
});

describe('security.level', () => {
  test('is debug by default, and is read from file, environment and VS Code settings, the later winning', () => {
    expect(load('').config.security.level).toBe('debug');
    expect(load('security: {level: inspect}').config.security.level).toBe('inspect');
    const env = { KD_MCP_SECURITY_LEVEL: 'unrestricted' };
    expect(load('security: {level: inspect}', { env }).config.security.level).toBe('unrestricted');
    const settings = { 'security.level': 'inspect' };
    expect(load('security: {level: debug}', { env, settings }).config.security.level).toBe('inspect');
  });

  test('is one of three words, and the error names where the wrong one stands', () => {
    const expected = 'security.level: expected one of inspect, debug, unrestricted, found the string "all"';
    expect(refusal('security: {level: all}')).toContain(expected);
    expect(refusal('', { env: { KD_MCP_SECURITY_LEVEL: 'all' } })).toContain(
      `environment variable KD_MCP_SECURITY_LEVEL: ${expected}`,
    );
    expect(refusal('', { settings: { 'kdMcp.security.level': 'all' } })).toContain(
      `VS Code setting kdMcp.security.level: ${expected}`,
    );
  });
});
