import type { TypedApp } from '../http/type-provider.ts';
import type { HostedWebhooks } from '../hosted.ts';
import type { ControlOptions } from '../options.ts';
import { ControlError } from './errors.ts';
import { scopeOfCaller } from './scope.ts';
import { placesOf, waitMsOf } from './wait.ts';
import { Waiters } from './waiters.ts';
import { WebhooksAnswer, webhookRow, WebhooksQuery } from './webhooks-wire.ts';

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
