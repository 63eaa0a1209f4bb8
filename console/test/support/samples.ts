/** Answers of the control API for the tests, with values that are difficult for a layout. */

const FAISAL = { id: 'faisal', ar: 'فيصل عمر خالد', en: 'Faisal Omar Khalid' };
const SHOP = { ar: 'متجر الأمثلة', en: 'Example Shop' };
const START = Date.UTC(2026, 0, 31, 9, 0, 0);

/** The id of the attempt with this number. */
export function idOf(number: number): string {
  return `019a9d3c-1b2e-7c41-9f0a-${String(number).padStart(12, '0')}`;
}

const STATES = ['pending', 'redeemed', 'rejected', 'expired', 'failed', 'authenticated'] as const;

/** An attempt of the list; a higher number began later. */
export function rowOf(number: number, changes: object = {}): object {
  const at = START + number * 1000;
  const state = STATES[number % STATES.length] ?? 'pending';
  return {
    id: idOf(number),
    flow: number % 2 === 0 ? 'oidc' : 'mfa',
    state,
    reason: state === 'failed' ? 'provider.identity_missing' : null,
    scope: 'default',
    client: number % 5 === 0 ? null : SHOP,
    service: 'Login',
    created_at: new Date(at).toISOString(),
    expires_at: new Date(at + 300_000).toISOString(),
    entries: 1,
    source: 'own',
    planned: false,
    answered: false,
    person: number % 2 === 0 ? null : FAISAL,
    ...changes,
  };
}

/** `count` attempts, newest first, the newest of this number. */
export function rowsFrom(number: number, count: number): readonly object[] {
  return Array.from({ length: count }, (_, index) => rowOf(number - index));
}

type Call = {
  readonly at: number;
  readonly side?: string;
  readonly name: string;
  readonly method?: string;
  readonly path: string;
  readonly status?: number | null;
  readonly code?: string | null;
  readonly took?: number;
  readonly headers?: object;
  readonly sent?: unknown;
  readonly answered?: unknown;
};

function call(number: number, made: Call): object {
  const { at, side = 'area_a', name, method = 'POST', path } = made;
  const { status = 200, code = null, took = 3, sent = null, answered = null } = made;
  const exchange = {
    method,
    path,
    status,
    code,
    duration_ms: took,
    request: { headers: { 'user-agent': 'example-shop/1.0', ...made.headers }, body: sent },
    response: { headers: { 'content-type': 'application/json' }, body: answered },
  };
  return { number, at: new Date(START + at).toISOString(), side, name, exchange, act: null };
}

function act(number: number, at: number, side: string, name: string, decision: string | null) {
  const time = new Date(START + at).toISOString();
  return { number, at: time, side, name, exchange: null, act: { decision, by: 'person' } };
}

const PROBLEM = {
  type: '/errors/attempt.pending',
  title: 'The attempt is still pending',
  status: 409,
  code: 'attempt.pending',
  message: 'The person has not answered yet.',
  remedy: 'Wait until the status is authenticated, then exchange the attempt.',
};

/** A sign-in by phone: polls, a refused exchange, an approval, and a token. */
export function timeLineOf(number: number): object {
  const id = idOf(number);
  const status = { data: { attempt_id: id, status: 'pending', token_ready: false } };
  const polls = Array.from({ length: 8 }, (_, index) => [
    call(5 + index * 2, {
      at: 1500 + index * 2000,
      name: 'readStatus',
      method: 'GET',
      path: `/api/v1/status/${id}`,
      headers: { 'x-provider-attempt-token': '[masked]' },
      answered: status,
    }),
    call(6 + index * 2, {
      at: 1502 + index * 2000,
      side: 'area_b',
      name: 'mfa_status',
      method: 'GET',
      path: '/stg/api/v1/mfa/request/8c1f/status',
      answered: { status: 'WAITING' },
    }),
  ]).flat();
  const body = { locale: 'ar', national_id: '1000001101' };
  return {
    attempt: rowOf(number, { state: 'redeemed', flow: 'mfa', client: SHOP }),
    left_out: 0,
    findings: [
      {
        rule: 'token-too-early',
        title: { ar: 'طُلب رمز الوصول قبل اكتمال الدخول', en: 'The token was asked for too early' },
        advice: {
          ar: 'انتظر حتى تصبح الحالة `authenticated`، وأضف `?wait=25`، ثم اطلب الرمز مرة واحدة.',
          en: 'Wait until the status is `authenticated`, add `?wait=25`, then ask for the token once.',
        },
        entries: [4],
      },
    ],
    entries: [
      call(1, {
        at: 0,
        name: 'startAttempt',
        path: '/api/v1/start',
        sent: body,
        headers: { 'content-type': 'application/json' },
        took: 41,
        answered: { data: { attempt_id: id, attempt_token: '[masked]', random: '042917' } },
      }),
      call(2, {
        at: 4,
        side: 'area_b',
        name: 'mfa_request',
        path: '/stg/api/v1/mfa/request',
        sent: { nationalId: '1000001101', service: 'Login' },
        took: 30,
        answered: { transId: '8c1f', random: '042917' },
      }),
      act(3, 35, 'phone', 'prompt', null),
      call(4, {
        at: 900,
        name: 'issueToken',
        path: `/api/v1/token/${id}`,
        status: 409,
        code: 'attempt.pending',
        sent: { attempt_token: '[masked]' },
        answered: PROBLEM,
      }),
      ...polls,
      act(21, 17_200, 'phone', 'decision', 'approve'),
      call(22, {
        at: 17_300,
        side: 'callback',
        name: 'push_result',
        path: '/api/v1/provider/mfa-callback',
        status: 204,
        took: 12,
        sent: { token: '[masked]' },
      }),
      call(23, {
        at: 18_000,
        name: 'issueToken',
        path: `/api/v1/token/${id}`,
        took: 1204,
        sent: { attempt_token: '[masked]', device_name: 'جوال أمل' },
        answered: { data: { token: '[masked]', user: { name: 'أمل سالم ناصر النموذجي' } } },
      }),
    ],
  };
}
