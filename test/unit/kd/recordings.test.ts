/**
 * What Microsoft's own engine said to a session (test/engine/record.ts), given to the reader again in other pieces.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ConsoleEvent, eventOf } from '../../../src/kd/events.ts';
import { ConsoleReader, type Step } from '../../../src/kd/framing.ts';
import { promptAtEnd, stripPrompts } from '../../../src/kd/prompts.ts';

const folder = path.join(import.meta.dirname, '../../fixtures/engine');
type Passed = readonly (readonly ['in' | 'out' | 'break', string])[];

/** Replays a recording; the markers in it are armed when the prompt they asked about is seen, as then. */
function replay(recording: Passed, sizes: readonly number[]) {
  const markers = recording
    .filter(([direction]) => direction === 'in')
    .flatMap(([, text]) => text.match(/KDMCP_\w+_\d+_/g) ?? []);
  const reader = new ConsoleReader();
  const events: ConsoleEvent['kind'][] = [];
  const prompts: string[] = [];
  let text = '';
  let turn = 0;
  const take = (steps: readonly Step[]): void => {
    for (const step of steps) {
      if (step.kind === 'mark') prompts.push(step.prompt);
      if (step.kind !== 'text') continue;
      text += step.text;
      for (const line of step.lines) {
        const event = eventOf(line) ?? eventOf(stripPrompts(line));
        if (event) events.push(event.kind);
      }
    }
  };
  for (const [direction, recorded] of recording) {
    if (direction !== 'out') continue;
    for (let rest = recorded; rest !== ''; ) {
      const size = sizes.length === 0 ? rest.length : (sizes[turn++ % sizes.length] ?? 1);
      take(reader.push(rest.slice(0, size)));
      rest = rest.slice(size);
      const marker = markers[0];
      if (!reader.armed && marker !== undefined && promptAtEnd(reader.tail) !== undefined) {
        reader.arm(marker);
        markers.shift();
      }
    }
  }
  take(reader.end());
  return { text, events, prompts, left: markers.length };
}

const load = (file: string): Passed => JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as Passed;

describe.each(readdirSync(folder))('recording %s', (file) => {
  const recording = load(file);
  const whole = replay(recording, []);

  it('gives every marker back and shows none', () => {
    expect(whole.left).toBe(0);
    expect(whole.prompts.length).toBeGreaterThan(5);
    expect(whole.text).not.toContain('KDMCP_');
    // Only the guest's own forged line may look like a prompt.
    expect(whole.text.match(/^0: kd> .*/gm) ?? []).toEqual(file === 'events.json' ? ['0: kd> forged'] : []);
  });

  it('reads the same in any pieces', () => {
    expect(replay(recording, [1])).toEqual(whole);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 10 }), (sizes) => {
        expect(replay(recording, sizes)).toEqual(whole);
      }),
      { numRuns: 50 },
    );
  });
});

describe('a recording with a breakpoint, a bugcheck and a reboot', () => {
  it('tells what happened, in order', () => {
    const connect = ['waiting', 'linked', 'established'];
    const told = [...connect, 'breakpoint', 'fatal-error', 'shutdown', ...connect];
    expect(replay(load('events.json'), []).events.filter((kind) => told.includes(kind))).toEqual(told);
  });
});
