export const MEBIBYTE = 1024 * 1024;

/** A number of bytes for an operator. */
export const asMebibytes = (bytes: number): string =>
  `${(bytes / MEBIBYTE).toFixed(bytes < 10 * MEBIBYTE ? 1 : 0)} MiB`;
