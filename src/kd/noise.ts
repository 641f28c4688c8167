/** A line that some engine versions repeat once a second, in the middle of everything (microsoft/WinDbg-Feedback#230). */

export const NOISE_START = 'Error getting port connector information: 0x';
export const NOISE = /Error getting port connector information: 0x[0-9A-Fa-f]{8}$/;
const BEGUN = /Error getting port connector information: 0x[0-9A-Fa-f]{0,8}$/;

/** How many characters at the end of an unfinished line may be a noise line that has begun. */
export function noiseBegun(text: string): number {
  const whole = BEGUN.exec(text.slice(-NOISE_START.length - 8));
  if (whole !== null) return whole[0].length;
  for (let length = Math.min(NOISE_START.length, text.length); length > 0; length--) {
    if (NOISE_START.startsWith(text.slice(-length))) return length;
  }
  return 0;
}
