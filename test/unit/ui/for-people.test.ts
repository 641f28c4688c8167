import { describe, expect, test } from 'vitest';
import { tools } from '../../../src/tools/index.ts';
import { doctorReport } from '../../../src/ui/doctor-report.ts';
import { forPeople, toolTitle } from '../../../src/ui/for-people.ts';
import { english } from '../../../src/ui/l10n.ts';

describe('what programs say, for a person in VS Code', () => {
  test.each(tools.map(({ name }) => name))('%s has a name there', (name) => {
    expect(toolTitle(name, english)).toBeDefined();
  });

  test('calls, subcommands and settings are named as the person finds them', () => {
    const say = (text: string) => forPeople(text, english);
    expect(say('Its output stays readable: read_output(session_id="net-50000").')).toBe(
      'Its output stays readable: “Open Transcript”.',
    );
    expect(say('only its state, read_output, break_in, continue_go and stop_kd work.')).toBe(
      'only its state, “Open Transcript”, “Break”, “Go” and “Stop Session (Resume Guest)” work.',
    );
    expect(say('"kd-mcp rescue" frees the guest; kd-mcp log net-50000 --transcript shows it.')).toBe(
      '“Rescue Frozen Guest” frees the guest; “Open Transcript” shows it.',
    );
    expect(say('Set kd.kd_exe, or kd.state_file.')).toBe('Set kdMcp.kdExe, or kdMcp.stateFile.');
  });

  test('everything else stays as it is', () => {
    const text =
      'kd.exe was not found in C:\\Program Files; nt!my_own_symbol(1) is none, kd-mcp 0.1.0 is fine.';
    expect(forPeople(text, english)).toBe(text);
  });
});

describe("the doctor's page", () => {
  test('says first what keeps sessions from working, and no text becomes a link or an item of its own', () => {
    const report = doctorReport(
      [
        { name: 'home folder', verdict: 'ok', text: '/home/x' },
        { name: 'kd.exe', verdict: 'bad', text: 'Set kd.kd_exe | [x](command:y)\nor install it' },
      ],
      english,
    );
    expect(report.split('\n').filter((line) => line.startsWith('*'))).toEqual([
      '* **Problem · kd.exe**<br>Set kdMcp.kdExe \\| \\[x\\]\\(command:y\\)<br>or install it',
      '* OK · Home folder: /home/x',
    ]);
    expect(report).toContain('One thing keeps sessions from working.');
  });
});
