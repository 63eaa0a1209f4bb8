/** Resolves after some time. */
export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, milliseconds));

/** The browser's day, as `Date.prototype.toDateString` writes it. */
export const today = (): string => new Date().toDateString();
