/** A bad network: datagrams get lost, doubled or overtaken, the same ones for the same seed. */
import { randomFrom } from '../console/random.ts';

/** Shares in percent. */
export interface ImpairmentRates {
  readonly loss: number;
  readonly reorder: number;
  readonly duplicate: number;
  readonly seed: number;
}

/** An overtaken datagram arrives this many milliseconds late, plus as many again at most. */
const LATE_MS = 5;

/** Hands datagrams on to `deliver` as the rates say. */
export type Network = (deliver: () => void) => void;

export function createNetwork(rates: ImpairmentRates): Network {
  const random = randomFrom(rates.seed);
  const happens = (percent: number) => percent > 0 && random() * 100 < percent;
  return (deliver) => {
    if (happens(rates.loss)) return;
    if (happens(rates.duplicate)) deliver();
    if (happens(rates.reorder)) setTimeout(deliver, LATE_MS * (1 + random()));
    else deliver();
  };
}
