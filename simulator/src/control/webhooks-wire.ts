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
import type { HostedWebhook } from '../hosted.ts';

const text = string();
const LARGEST = Number.MAX_SAFE_INTEGER;

export const WebhooksQuery = object({
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

export function webhookRow({ client, headers, body }: HostedWebhook): Static<typeof WebhookRow> {
  const content: unknown = JSON.parse(body);
  if (!CONTENT.holds(content)) throw new Error('a webhook has another form than its schema');
  const { type, data } = content;
  return { id: headers['webhook-id'] ?? '', client, type, data, headers, body };
}
