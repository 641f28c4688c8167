/**
 * Connections, pure: checked, as kd's arguments, by name, and from what people paste. One door to the files that do it.
 */
export { type KdArguments, kdArguments, secretsIn } from './arguments.ts';
export { type PastedConnection, parseKernelString } from './pasted.ts';
export {
  normalizeSessionId,
  redactedConnection,
  sameTarget,
  sessionId,
  sessionIdCandidate,
  sessionTitle,
} from './session-id.ts';
export { lintSymbolPath, type SymbolPathLint } from './symbol-path.ts';
export { type ConnectionProblem, validateConnection } from './validate.ts';
