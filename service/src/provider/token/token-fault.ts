import type { Printable, RefusedToken, TokenCheck } from '../../attempt/refused-token.ts';

/** What an operator may be told beside the name of the check. */
export type ToldOfToken = Partial<Pick<RefusedToken, 'expected' | 'came'>>;

/** Why a token was refused. The reason is for tests, and never quotes the token. */
export class TokenFault extends Error implements RefusedToken {
  readonly check: TokenCheck;
  readonly reason: string;
  readonly expected: Printable | null;
  readonly came: Printable | null;

  constructor(check: TokenCheck, reason: string = check, told: ToldOfToken = {}) {
    super(`token refused: ${reason}`);
    this.name = 'TokenFault';
    this.check = check;
    this.reason = reason;
    this.expected = told.expected ?? null;
    this.came = told.came ?? null;
  }
}
