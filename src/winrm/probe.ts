/**
 * Is WinRM answering? Asked without credentials: any HTTP answer to `POST /wsman` means that the guest's network and
 * its HTTP stack work. That is what a caller waits for after the guest was halted by a debugger.
 */
import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';

/** HTTP and HTTPS ports of WinRM. */
export const WINRM_PORTS: readonly number[] = [5985, 5986];

/** Ports on which TLS is spoken. */
const TLS_PORTS: ReadonlySet<number> = new Set([5986, 443]);

/**
 * What one attempt saw.
 * - `answered`    HTTP came back, whatever its status (401 and 405 are usual).
 * - `refused`     the machine is up; nothing listens.
 * - `timed-out`   no answer at all: halted, off, or behind a firewall.
 * - `reset`       the connection broke: the service is starting or stopping.
 * - `other`       something answered that is not HTTP.
 * - `unreachable` no way there: name unknown, no route.
 * - `cancelled`   the caller gave up.
 */
export type Observation = {
  readonly host: string;
  readonly port: number;
  /** How long the attempt took. */
  readonly ms: number;
} & (
  | { readonly kind: 'answered'; readonly status: number; readonly server?: string }
  | {
      readonly kind: 'refused' | 'timed-out' | 'reset' | 'other' | 'unreachable' | 'cancelled';
      /** The system's word for it, e.g. `ENOTFOUND`. */
      readonly detail?: string;
    }
);

export interface ProbeOptions {
  /** Names or addresses of the guest; the first is the usual one. */
  readonly hosts: readonly string[];
  readonly ports?: readonly number[];
  /** Limit of each attempt, ms. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Ports to speak TLS on; default: 5986. */
  readonly tlsPorts?: ReadonlySet<number>;
}

/** Tries every host and port once, all at the same time. Never rejects. */
export async function probeWinrm(options: ProbeOptions): Promise<readonly Observation[]> {
  return Promise.all(endpointsOf(options).map(({ host, port }) => attempt(host, port, options)));
}

export interface WaitOptions extends ProbeOptions {
  /** Limit of the whole wait, ms. */
  readonly timeoutMs: number;
  /** From the start of one attempt at an endpoint to the start of the next, ms. */
  readonly intervalMs?: number;
  /** Limit of each attempt, ms: short, because a halted guest answers nothing and the next attempt may. */
  readonly attemptMs?: number;
  readonly onAttempt?: (observation: Observation) => void;
}

export interface WaitResult {
  /** Who answered first, and how long the wait took; undefined: nobody. */
  readonly answered: { readonly host: string; readonly port: number; readonly ms: number } | undefined;
  /** The last observation of each endpoint, in the order of hosts and ports. */
  readonly last: readonly Observation[];
}

/** Asks every endpoint about twice a second until one answers, the time is over or the signal comes. Never rejects. */
export async function waitForWinrm(options: WaitOptions): Promise<WaitResult> {
  const started = performance.now();
  const until = started + options.timeoutMs;
  const done = new AbortController();
  const signal = options.signal === undefined ? done.signal : AbortSignal.any([done.signal, options.signal]);
  const endpoints = endpointsOf(options);
  const last = new Map<string, Observation>();
  let answered: WaitResult['answered'];

  const watch = async ({ host, port }: Endpoint): Promise<void> => {
    while (!signal.aborted) {
      const begun = performance.now();
      const timeoutMs = Math.max(1, Math.min(options.attemptMs ?? 2000, until - begun));
      const seen = await attempt(host, port, { ...options, timeoutMs, signal });
      // An attempt that was cut off tells nothing new.
      if (seen.kind === 'cancelled') break;
      last.set(nameOf({ host, port }), seen);
      options.onAttempt?.(seen);
      if (seen.kind === 'answered') {
        answered ??= { host, port, ms: Math.round(performance.now() - started) };
        done.abort();
        break;
      }
      const pause = begun + (options.intervalMs ?? 500) - performance.now();
      if (Math.max(performance.now(), performance.now() + pause) >= until) break;
      await delay(Math.max(0, pause), undefined, { signal }).catch(() => undefined);
    }
  };
  await Promise.all(endpoints.map(watch));
  const seen = endpoints.map((each) => last.get(nameOf(each))).filter((each) => each !== undefined);
  return { answered, last: seen };
}

interface Endpoint {
  readonly host: string;
  readonly port: number;
}

function endpointsOf({ hosts, ports }: Pick<ProbeOptions, 'hosts' | 'ports'>): readonly Endpoint[] {
  const names = [
    ...new Set(hosts.map((host) => host.trim().replace(/^\[(.*)\]$/, '$1')).filter((host) => host !== '')),
  ];
  return names.flatMap((host) => (ports ?? WINRM_PORTS).map((port) => ({ host, port })));
}

function nameOf({ host, port }: Endpoint): string {
  return `${host} ${port}`;
}

/** One request. The connection is not kept. */
function attempt(
  host: string,
  port: number,
  { timeoutMs, signal, tlsPorts }: Pick<ProbeOptions, 'timeoutMs' | 'signal' | 'tlsPorts'>,
): Promise<Observation> {
  const started = performance.now();
  const tls = (tlsPorts ?? TLS_PORTS).has(port);
  return new Promise((resolve) => {
    const settle = (what: Outcome): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
      request.destroy();
      resolve({ host, port, ms: Math.round(performance.now() - started), ...what });
    };
    const cancel = () => settle({ kind: 'cancelled' });
    const options = { host, port, method: 'POST', path: '/wsman', headers: { 'content-length': '0' } };
    // A guest's certificate is its own; nothing is sent that needs it to be known.
    const request = tls
      ? httpsRequest({ ...options, agent: new HttpsAgent({ keepAlive: false }), rejectUnauthorized: false })
      : httpRequest({ ...options, agent: new HttpAgent({ keepAlive: false }) });
    const timer = setTimeout(() => settle({ kind: 'timed-out' }), timeoutMs);
    request.on('error', (error) => settle(outcomeOf(error)));
    request.on('response', (response) => {
      const { server } = response.headers;
      response.resume();
      settle({
        kind: 'answered',
        status: response.statusCode ?? 0,
        ...(typeof server === 'string' ? { server: server.slice(0, 80) } : {}),
      });
    });
    signal?.addEventListener('abort', cancel, { once: true });
    if (signal?.aborted === true) cancel();
    else request.end();
  });
}

type Outcome = Observation extends infer One
  ? One extends Observation
    ? Omit<One, 'host' | 'port' | 'ms'>
    : never
  : never;

function outcomeOf(error: Error): Outcome {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  switch (code) {
    case 'ECONNREFUSED':
      return { kind: 'refused' };
    case 'ETIMEDOUT':
      return { kind: 'timed-out', detail: code };
    case 'ECONNRESET':
    case 'EPIPE':
    case 'ECONNABORTED':
      return { kind: 'reset', detail: code };
    default:
      return { kind: /^(HPE_|EPROTO|ERR_SSL|ERR_TLS)/.test(code) ? 'other' : 'unreachable', detail: code };
  }
}

/** An observation in words, for messages: `10.0.0.5:5985 refused the connection`. */
export function describeObservation(observation: Observation): string {
  const where = `${observation.host.includes(':') ? `[${observation.host}]` : observation.host}:${observation.port}`;
  switch (observation.kind) {
    case 'answered':
      return `${where} answered (HTTP ${observation.status})`;
    case 'refused':
      return `${where} refused the connection (the guest runs; WinRM does not listen there)`;
    case 'timed-out':
      return `${where} did not answer (halted, off, or behind a firewall)`;
    case 'reset':
      return `${where} broke the connection (the service is starting or stopping)`;
    case 'other':
      return `${where} answered, but not as WinRM (${observation.detail ?? 'no HTTP'})`;
    case 'unreachable':
      return `${where} cannot be reached (${observation.detail ?? 'no route'})`;
    case 'cancelled':
      return `${where} was not waited for`;
  }
}
