/**
 * How kd reaches its target: one shape per transport of `-k`, `-kl`, `-z` and `-remote` (kd-behaviour.md §1.2).
 *
 * Plain data. `transport.ts` checks it and turns it into an argument list and a list of secrets.
 */
export type Connection =
  | { readonly transport: 'net'; readonly port: number; readonly key: string; readonly target?: string }
  | { readonly transport: 'com'; readonly port: string; readonly baud?: number }
  | {
      readonly transport: 'pipe';
      readonly pipe: string;
      readonly reconnect?: boolean;
      readonly resets?: number;
    }
  /** Serial framing over TCP: `com:ipport=…,port=…`. */
  | { readonly transport: 'tcp'; readonly host: string; readonly port: number }
  | { readonly transport: 'usb'; readonly targetName: string }
  | { readonly transport: 'local' }
  | { readonly transport: 'dump'; readonly files: readonly string[] }
  /** Another debugger's server: `npipe:server=…,pipe=…,password=…`. */
  | { readonly transport: 'remote'; readonly remote: string }
  /** The text behind `-k`, as a person pasted it. */
  | { readonly transport: 'raw'; readonly k: string }
  /** The bundled simulator of kd.exe and a guest. `scenario` is a name of `simulator/console/scenarios`. */
  | { readonly transport: 'simulator'; readonly scenario: string };

export type Transport = Connection['transport'];

/** Why a target neither runs nor is halted, as a clause; undefined for all that do (kd-behaviour.md §3.4, §6.1). */
export function neverRuns(transport: Transport): string | undefined {
  if (transport === 'dump') return 'a memory dump does not run';
  if (transport === 'local') return 'the local kernel is this machine, which runs on: nothing here is halted';
  return undefined;
}
