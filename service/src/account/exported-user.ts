/** How many rows ask for the user's number and were left out, because they may be another user's. */
export interface LeftOut {
  readonly attempts: number;
  readonly pushes: number;
  readonly audit: number;
}

/** `json` is what is handed out; it has `leftOut` too. */
export interface ExportedUser {
  readonly json: unknown;
  readonly leftOut: LeftOut;
}
