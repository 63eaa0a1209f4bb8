import { IDEMPOTENCY_KEY_PATTERN, MODES } from '@miftah/contract';
import { integer, oneOf, string, type Schema } from '@miftah/schema';
import type { Headers, HeadersOf, Operation } from '@miftah/schema/openapi';

declare module 'fastify' {
  interface FastifySchema {
    /** Headers that the operation reads. They are only described here: its handler checks them. */
    readonly describedHeaders?: Readonly<Record<string, Schema>>;
    /** What a page reads and answers, which is only described as well. */
    readonly describedPage?: Pick<FastifySchema, 'querystring' | 'response'>;
  }
}

const REQUEST_HEADERS = {
  'Accept-Language': string({ description: 'The language of messages: `ar` or `en`.' }),
  'Idempotency-Key': string({
    pattern: IDEMPOTENCY_KEY_PATTERN,
    description: 'Chosen by you, 22 to 255 characters that nobody can guess, for repetitions.',
  }),
  'Last-Event-ID': string({ description: 'The id of the last event that was received.' }),
  Prefer: string({ description: '`wait=25` does what the query member `wait` does (RFC 7240).' }),
  'X-End-User-Address': string({
    description:
      'The IP address of the person, as a back end sees it. It is believed of confidential ' +
      'clients alone, and counted in place of their own address. A port is ignored.',
  }),
} as const satisfies Readonly<Record<string, Schema>>;

/** The headers of these names, for `describedHeaders`. They have no `examples`, which a reader would send. */
export function headersNamed(...names: readonly (keyof typeof REQUEST_HEADERS)[]) {
  return Object.fromEntries(names.map((name) => [name, REQUEST_HEADERS[name]]));
}

const header = (description: string, schema: Schema) => ({ description, schema });

export const ANSWER_HEADERS = {
  Location: header(
    'Where the browser is led. On a page it is for programs: the application has a scheme of its own.',
    string({ format: 'uri' }),
  ),
  RateLimit: header(
    'The requests that are left, `r`, and the seconds until there are more, `t`: an application can ' +
      'plan by them. Of two limits it is the one that binds; `push.budget_spent` has none.',
    string({ pattern: '^"[a-z-]+";r=\\d+;t=\\d+$' }),
  ),
  'RateLimit-Policy': header(
    'How many requests, `q`, are allowed in how many seconds, `w`.',
    string({ pattern: '^"[a-z-]+";q=\\d+;w=\\d+$' }),
  ),
  'Retry-After': header(
    'Seconds to wait before the next try; absent where nobody knows.',
    integer(),
  ),
  'WWW-Authenticate': header('How to authenticate (RFC 9110).', string()),
  'X-Auth-Mode': header('What this service is.', oneOf(MODES)),
  'X-RateLimit-Limit': header('As `q` of `RateLimit-Policy`.', integer()),
  'X-RateLimit-Remaining': header('As `r` of `RateLimit`.', integer()),
  'X-Request-Id': header('Names this request in the log.', string({ format: 'uuid' })),
} as const satisfies Headers;

type Name = keyof typeof ANSWER_HEADERS;

const ALWAYS: readonly Name[] = ['X-Auth-Mode', 'X-Request-Id'];
const COUNTED: readonly Name[] = [
  'RateLimit',
  'RateLimit-Policy',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
];
const LATER: ReadonlySet<string> = new Set(['409', '429', '503']);
/** Of an operation that leads browsers on: the redirect, and the page with a link in its place. */
const LEADING = /^[23]/;
/** 400: an API token in the address. */
const UNPROVEN: ReadonlySet<string> = new Set(['400', '401']);

export const answerHeadersOf: HeadersOf = (status, { responses }: Operation) => [
  ...ALWAYS,
  ...('429' in responses ? COUNTED : []),
  ...('303' in responses && LEADING.test(status) ? (['Location'] as const) : []),
  ...(LATER.has(status) ? (['Retry-After'] as const) : []),
  ...(UNPROVEN.has(status) ? (['WWW-Authenticate'] as const) : []),
];
