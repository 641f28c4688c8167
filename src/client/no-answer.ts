import { SessionError } from './sessions.ts';

/** There is nobody at the socket, or nobody that answers. */
export class NoAnswer extends SessionError {
  /** ENOENT, ECONNREFUSED, EACCES … of the system. */
  readonly systemCode: string | undefined;

  constructor(message: string, systemCode?: string) {
    super(message);
    this.systemCode = systemCode;
  }
}
