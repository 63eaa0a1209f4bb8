import type { ErrorCode } from '@miftah/contract/errors';

/**
 * The errors of area A. Their codes and HTTP statuses are in the contract; inside the service an
 * error has a code and no status. The texts are in one file and one folder per language, next to
 * this file; `GET /errors/{code}` shows them.
 */
export { ERROR_CODES, isErrorCode, type ErrorCode } from '@miftah/contract/errors';

export interface ErrorWording {
  /** A few words, without a full stop. */
  readonly title: string;
  /** One sentence, shown to the caller as `message`. */
  readonly message: string;
  /**
   * The `detail` of an error whose `message` does not tell a developer what to change: some
   * messages can't be changed because clients expect their exact text. One or two sentences; the
   * message by default.
   */
  readonly detail?: string;
  /** What happened, for the page of the error. */
  readonly cause: string;
  /** What the caller can do about it: on the page of the error, and as `remedy` in its body. */
  readonly remedy: string;
}

export type ErrorWordings = Readonly<Record<ErrorCode, ErrorWording>>;
