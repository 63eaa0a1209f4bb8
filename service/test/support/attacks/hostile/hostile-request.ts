/** One request, as bytes on the wire (a character each). */
export interface HostileRequest {
  readonly method: string;
  readonly target: string;
  readonly bytes: string;
  /** HTTP that has to be answered, whatever its content; else it may also be cut off. */
  readonly isHttp: boolean;
  readonly accept: string;
}
