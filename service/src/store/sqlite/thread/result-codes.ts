/** The primary result codes of SQLite (sqlite.org/rescode.html) that are distinguished here. */
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

/** IOERR_SHMSIZE: the index of the write-ahead log, the file `-shm`, could not grow. */
const SHARED_MEMORY_SIZE = 4874;

/** The low byte of an extended result code names the kind of error. */
export function isResult(code: number | null, ...kinds: readonly ResultCode[]): boolean {
  return code !== null && kinds.some((kind) => kind === (code & 0xff));
}

/**
 * Whether there was no space for a write. This is temporary and damages nothing: SQLite allocates
 * the index of its log by writing to it, so a full disk causes this error and no SIGBUS.
 */
export function isDiskFull(code: number | null): boolean {
  return code === SHARED_MEMORY_SIZE || isResult(code, RESULT.full);
}
