/** Keeps what a caller passed as a secret out of whatever is answered or logged. */
import { secretsTyped } from '../kd/arguments.ts';
import { createRedactor, REDACTED } from '../kd/redact.ts';

/** Arguments that are or carry a KDNET key or a password. */
const SECRET_ARGUMENTS = ['key', 'kdnet', 'k', 'remote'];
const SECRET_PARTS = /\b(?:key|password|newkey)\s*[=:]\s*([^,;\s"'}]+)/gi;
/** Four base-36 numbers as kdnet.exe makes them; short hand-made keys are known from the arguments. */
const FULL_KEY = /\b[0-9a-z]{8,13}(?:\.[0-9a-z]{8,13}){3}\b/gi;

/** A function that blanks the secrets of a call, from its raw arguments, and anything that looks like a full key. */
export function secretsOf(raw: unknown): (text: string) => string {
  const secrets: string[] = [];
  if (typeof raw === 'object' && raw !== null) {
    for (const value of Object.values(raw))
      if (typeof value === 'string') secrets.push(...secretsTyped(value));
    for (const name of SECRET_ARGUMENTS) {
      const value: unknown = Reflect.get(raw, name);
      if (typeof value !== 'string') continue;
      if (name === 'key') secrets.push(value.trim());
      for (const match of value.matchAll(SECRET_PARTS)) secrets.push(match[1] ?? '');
    }
  }
  const redactor = createRedactor(secrets.filter((secret) => secret.length > 1));
  return (text) => redactor.redact(text).replace(FULL_KEY, REDACTED);
}
