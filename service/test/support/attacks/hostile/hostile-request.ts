/** One request as the bytes that are sent, one character per byte. */
export interface HostileRequest {
  readonly method: string;
  readonly target: string;
  readonly bytes: string;
  /** Whether it is valid HTTP and must be answered; otherwise the connection may also be closed. */
  readonly isHttp: boolean;
  readonly accept: string;
}
