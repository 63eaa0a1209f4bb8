/** SQLite's primary result codes (sqlite.org/rescode.html), as far as they are told apart. */
export const RESULT = {
  error: 1,
  busy: 5,
  locked: 6,
  noMemory: 7,
  corrupt: 11,
  full: 13,
  tooBig: 18,
  constraint: 19,
  mismatch: 20,
  range: 25,
  notADatabase: 26,
} as const;

export type ResultCode = (typeof RESULT)[keyof typeof RESULT];

/** The low byte of an extended result code names the kind of error. */
export function isResult(code: number | null, ...kinds: readonly ResultCode[]): boolean {
  return code !== null && kinds.some((kind) => kind === (code & 0xff));
}
