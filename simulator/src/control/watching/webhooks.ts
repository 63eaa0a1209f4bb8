/** The webhooks that listeners get: a query in, what a receiver would get out. */
import {
  digits,
  integer,
  list,
  object,
  openObject,
  optional,
  record,
  string,
  type Static,
} from '@miftah/schema';
import { checkOf } from '@miftah/schema/check';
import type { HostedWebhook, HostedWebhooks } from '../../hosted.ts';
import type { TypedApp } from '../../http/type-provider.ts';
import type { ControlOptions } from '../../options.ts';
import { ControlError } from '../errors.ts';
import { scopeOfCaller } from '../scope.ts';
import { placesOf, waitMsOf } from './wait.ts';
import { Waiters } from './waiters.ts';

const text = string();
const LARGEST = Number.MAX_SAFE_INTEGER;

const WebhooksQuery = object({
  after: optional(
    digits(
      { minimum: 0, maximum: LARGEST },
      { pattern: '^(0|[1-9][0-9]{0,14})$', description: 'The cursor of an earlier answer.' },
    ),
  ),
  timeout: optional(
    digits(
      { minimum: 0, maximum: 30 },
      { pattern: '^([0-9]|[12][0-9]|30)$', description: 'In seconds; by default 10.' },
    ),
  ),
});

const Data = openObject({
  attempt_id: optional(text),
  status: optional(text),
  reason: optional(text),
  user_id: optional(integer()),
});

const WebhookRow = openObject({
  id: string({ description: 'The same as the header webhook-id.' }),
  client: text,
  type: text,
  data: Data,
  headers: record(text),
  body: string({ description: 'As it is signed.' }),
});

export const WebhooksAnswer = openObject(
  {
    data: openObject({
      cursor: string({ description: 'The `after` of the next call.' }),
      clients: list(text, { description: 'The ids of the applications.' }),
      webhooks: list(WebhookRow),
    }),
  },
  { description: 'What applications of the scope were told.' },
);

const CONTENT = checkOf(openObject({ type: text, data: Data }));

function webhookRow({ client, headers, body }: HostedWebhook): Static<typeof WebhookRow> {
  const content: unknown = JSON.parse(body);
  if (!CONTENT.holds(content)) throw new Error('a webhook has another form than its schema');
  const { type, data } = content;
  return { id: headers['webhook-id'] ?? '', client, type, data, headers, body };
}

const TAKES =
  'The query has after, the cursor of an earlier answer, and timeout, 0 to 30 seconds, by default 10.';
const REFUSES = ['attempts.elsewhere', 'wait.limit_reached'] as const;

interface Question {
  readonly scope: string;
  /** Those with larger numbers. */
  readonly after: number;
}

/**
 * GET /simulator/webhooks: what applications of the scope are told, as their receivers would get it.
 * It answers at once where there is something, and else when something comes, or after the time.
 */
export function listWebhooks(app: TypedApp, options: ControlOptions): void {
  const { webhooks } = options;
  const schema = {
    operationId: 'listWebhooks',
    summary: 'Wait for webhooks of the applications of the scope',
    querystring: WebhooksQuery,
    response: { 200: WebhooksAnswer },
  };
  const hold = placesOf(app, options);
  const waiters = new Waiters<Question, readonly unknown[]>({
    look: async ({ scope, after }) => webhooks?.after(scope, after) ?? [],
    keyOf: (question) => JSON.stringify(question),
    ...options,
  });
  app.get(
    '/webhooks',
    { schema, config: { takes: TAKES, refuses: REFUSES } },
    async (request, reply) => {
      const { query } = request;
      if (webhooks === null) throw new ControlError('attempts.elsewhere');
      return hold(request, reply, async (signal) => {
        await webhooks.listen();
        const question = { scope: scopeOfCaller(request), after: Number(query.after ?? 0) };
        const ms = waitMsOf(query);
        await waiters.wait({ question, isOver: (found) => found.length > 0, ms, signal });
        return { data: answerOf(webhooks, question) };
      });
    },
  );
}

function answerOf(webhooks: HostedWebhooks, { scope, after }: Question) {
  const found = webhooks.after(scope, after);
  const cursor = found.at(-1)?.number ?? webhooks.last();
  const clients = [...webhooks.clients()];
  return { cursor: String(cursor), clients, webhooks: found.map(webhookRow) };
}
