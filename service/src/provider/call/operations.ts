/** What an operation says in a call record without a redaction mark, and how (call-record.ts). */
interface Operation {
  readonly method: 'GET' | 'POST';
  /** Below the configured prefix. */
  readonly path: string;
  /**
   * Tries in all. Only an operation that changes nothing for anybody has a second one: a push that
   * is sent again is a second prompt on somebody's phone (reliability: never blindly repeated).
   */
  readonly tries: 1 | 2;
  /** Error codes that are an answer to this operation and not a failure of it. */
  readonly answers: readonly string[];
}

const STATE_NOT_REDEEMABLE = '401-033-024';
const TRANSACTION_EXPIRED = '400-034-051';
const TRANSACTION_NOT_FOUND = '400-034-053';

/** Area B: the first and the third are documented, the others are reported. */
export const OPERATIONS = {
  session: { method: 'GET', path: '/api/v2/oidc/session', tries: 2, answers: [] },
  exchange: {
    method: 'POST',
    path: '/api/v2/oidc/jwt',
    tries: 1,
    answers: [STATE_NOT_REDEEMABLE],
  },
  push: { method: 'POST', path: '/api/v1/mfa/request', tries: 1, answers: [] },
  pushStatus: {
    method: 'POST',
    path: '/api/v1/mfa/request/status',
    tries: 1,
    answers: [TRANSACTION_EXPIRED, TRANSACTION_NOT_FOUND],
  },
  keys: { method: 'GET', path: '/api/v1/mfa/jwk', tries: 1, answers: [] },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof OPERATIONS;
