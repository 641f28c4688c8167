/**
 * Other people's output, read in place from the folder that KD_TRANSCRIPTS names: what the pure parts find in it does
 * not depend on how it is split, and the events it is known to hold are found.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDecoder } from '../../src/kd/decode.ts';
import { type ConsoleEvent, eventOf } from '../../src/kd/events.ts';
import { ConsoleReader, type Step } from '../../src/kd/framing.ts';
import { stripPrompts } from '../../src/kd/prompts.ts';

const folder = process.env.KD_TRANSCRIPTS;

function read(bytes: Uint8Array, cuts: readonly number[]): { text: string; events: readonly ConsoleEvent[] } {
  const decoder = createDecoder(65001);
  const reader = new ConsoleReader();
  const steps: Step[] = [];
  let at = 0;
  for (const cut of [...cuts, bytes.length].sort((a, b) => a - b)) {
    steps.push(...reader.push(decoder.decode(bytes.subarray(at, cut))));
    at = cut;
  }
  steps.push(...reader.push(decoder.end()), ...reader.end());
  let text = '';
  const events: ConsoleEvent[] = [];
  for (const step of steps) {
    if (step.kind !== 'text') continue;
    text += step.text;
    for (const line of step.lines) {
      const event = eventOf(line) ?? eventOf(stripPrompts(line));
      if (event) events.push(event);
    }
  }
  return { text, events };
}

/** Events that a reader of the transcript can see with his own eyes. */
const KNOWN: Readonly<Record<string, readonly ConsoleEvent['kind'][]>> = {
  '01-': ['version', 'waiting'],
  '02-': [
    'version',
    'waiting',
    'linked',
    'target',
    'established',
    'kernel',
    'kernel-base',
    'break-exception',
    'break-in-box',
  ],
  '04-': ['waiting', 'target', 'established', 'kernel', 'break-in-box', 'init-failed'],
  '08-': ['shutdown', 'waiting', 'linked', 'target', 'established', 'load-location'],
  '09-': ['shutdown', 'waiting', 'target', 'established', 'load-location'],
  '11-': ['link-trouble'],
  '13-': ['port-in-use', 'init-failed'],
  '14-': ['open-failed', 'init-failed'],
  '21-': ['command-error'],
};

if (folder === undefined) {
  it.skip('KD_TRANSCRIPTS names no folder: the corpus of transcripts was not read', () => {});
} else {
  const files = readdirSync(folder).filter((file) => file.endsWith('.txt'));

  describe('transcripts of other people', () => {
    it('are there', () => {
      expect(files.length).toBeGreaterThan(40);
    });

    it.each(files)('%s reads the same in any pieces', (file) => {
      const bytes = readFileSync(path.join(folder, file));
      const whole = read(bytes, []);
      expect(whole.text.length).toBeGreaterThan(50);
      for (const [start, kinds] of Object.entries(KNOWN)) {
        if (file.startsWith(start))
          expect(whole.events.map((event) => event.kind)).toEqual(expect.arrayContaining([...kinds]));
      }
      const singles = read(bytes, Array.from(bytes.keys()));
      expect(singles).toEqual(whole);
      fc.assert(
        fc.property(fc.array(fc.nat({ max: bytes.length }), { maxLength: 60 }), (cuts) => {
          expect(read(bytes, cuts)).toEqual(whole);
        }),
        { numRuns: 30 },
      );
    });
  });
}
