import type { Flow } from '../../attempt/flow.ts';

/** One operation of area B. Call records show the operation's name unredacted (call-record.ts). */
interface Operation {
  /** The flow whose prefix its path has. The keys of both flows are below the path of pushes. */
  readonly flow: Flow;
  readonly method: 'GET' | 'POST';
  /** The path below the configured prefix. */
  readonly path: string;
  /**
   * The number of tries. Only an operation that changes nothing has a second try: a push that is
   * sent again would be a second prompt on the person's phone.
   */
  readonly tries: 1 | 2;
  /** Error codes that this operation treats as an answer instead of a failure. */
  readonly answers: readonly string[];
}

const STATE_NOT_REDEEMABLE = '401-033-024';
const TRANSACTION_EXPIRED = '400-034-051';
const TRANSACTION_NOT_FOUND = '400-034-053';

/**
 * Area B: the first and the third operation are documented, the others are reported by integrators.
 */
export const OPERATIONS = {
  session: { flow: 'oidc', method: 'GET', path: '/api/v2/oidc/session', tries: 2, answers: [] },
  exchange: {
    flow: 'oidc',
    method: 'POST',
    path: '/api/v2/oidc/jwt',
    tries: 1,
    answers: [STATE_NOT_REDEEMABLE],
  },
  push: { flow: 'mfa', method: 'POST', path: '/api/v1/mfa/request', tries: 1, answers: [] },
  pushStatus: {
    flow: 'mfa',
    method: 'POST',
    path: '/api/v1/mfa/request/status',
    tries: 1,
    answers: [TRANSACTION_EXPIRED, TRANSACTION_NOT_FOUND],
  },
  keys: { flow: 'mfa', method: 'GET', path: '/api/v1/mfa/jwk', tries: 1, answers: [] },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof OPERATIONS;
