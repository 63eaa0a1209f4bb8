/** Why a token was refused. The reason is for tests and logs, and never quotes the token. */
export class TokenFault extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(`token refused: ${reason}`);
    this.name = 'TokenFault';
    this.reason = reason;
  }
}
