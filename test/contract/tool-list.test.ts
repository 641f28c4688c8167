import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../src/config/schema.ts';
import { INSTRUCTIONS } from '../../src/mcp/instructions.ts';
import { tools } from '../../src/tools/index.ts';
import { toolsReference } from '../../src/tools/reference.ts';
import { describeTool } from '../../src/tools/schema.ts';
import { LONGEST_WAIT_SEC } from '../../src/tools/wait.ts';

const described = tools.map(describeTool);

describe('the tool list', () => {
  it('has the names of the predecessor and at most 15 tools', () => {
    expect(tools.map((tool) => tool.name)).toEqual([
      'health_check',
      'start_from_state',
      'start_kd',
      'list_sessions',
      'kd_command',
      'break_in',
      'continue_go',
      'wait_for_break',
      'resume_for_winrm',
      'read_output',
      'stop_kd',
    ]);
  });

  it('has the arguments of the predecessor as they were', () => {
    const args = (name: string): string[] =>
      Object.keys(tools.find((tool) => tool.name === name)?.args ?? {});
    expect(args('start_kd')).toEqual(expect.arrayContaining(['port', 'key', 'target', 'kdnet']));
    expect(args('start_from_state')).toContain('state_file');
    expect(args('kd_command')).toEqual(expect.arrayContaining(['session_id', 'command', 'timeout_sec']));
    expect(args('continue_go')).toEqual(['session_id', 'wait_sec']);
    expect(args('resume_for_winrm')).toEqual(expect.arrayContaining(['session_id', 'wait_sec']));
    expect(args('read_output')).toEqual(expect.arrayContaining(['session_id', 'tail_chars']));
    expect(args('stop_kd')).toEqual(expect.arrayContaining(['session_id', 'terminate_target']));
  });

  it('stays far below 3,000 tokens', () => {
    expect(JSON.stringify({ tools: described }).length / 4).toBeLessThan(2_600);
  });

  it('has only schemas that every client understands: flat, without unions, null or nesting', () => {
    const allowed = ['type', 'description', 'enum', 'minimum', 'maximum'];
    for (const { name, inputSchema } of described) {
      expect(inputSchema.type).toBe('object');
      for (const [argument, schema] of Object.entries(inputSchema.properties)) {
        const where = `${name}.${argument}`;
        expect(argument, where).toMatch(/^[a-z][a-z_]*$/);
        expect(['string', 'integer', 'number', 'boolean'], where).toContain(schema.type);
        expect(allowed, where).toEqual(expect.arrayContaining(Object.keys(schema)));
        expect(schema.description.length, where).toBeGreaterThan(2);
      }
      for (const required of inputSchema.required ?? [])
        expect(inputSchema.properties).toHaveProperty(required);
    }
  });

  it('announces as read-only exactly the tools that change nothing', () => {
    const readOnly = described.filter((tool) => tool.annotations.readOnlyHint).map((tool) => tool.name);
    expect(readOnly).toEqual(['health_check', 'list_sessions', 'wait_for_break', 'read_output']);
    expect(described.every((tool) => !tool.annotations.openWorldHint)).toBe(true);
    const destructive = described.filter((tool) => tool.annotations.destructiveHint).map((tool) => tool.name);
    expect(destructive).toEqual(['kd_command', 'stop_kd']);
  });

  it('is what docs/tools.md says (npm run docs)', () => {
    expect(readFileSync(new URL('../../docs/tools.md', import.meta.url), 'utf8')).toBe(toolsReference());
  });

  it('waits no longer than the settings allow', () => {
    const limits = SETTINGS.flatMap((setting) => setting.clampTo ?? []);
    expect(limits).toEqual(limits.map(() => LONGEST_WAIT_SEC));
  });

  it('comes with 5 to 10 lines of instructions', () => {
    const lines = INSTRUCTIONS.split('\n').length;
    expect(lines).toBeGreaterThanOrEqual(5);
    expect(lines).toBeLessThanOrEqual(10);
    for (const name of INSTRUCTIONS.match(/\b[a-z]+_[a-z_]+\b/g) ?? []) {
      expect([...tools.map((tool) => tool.name), 'configure_kdnet']).toContain(name);
    }
  });
});
