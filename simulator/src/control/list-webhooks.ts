import { closingOf } from '../http/closing.ts';
import type { TypedApp } from '../http/type-provider.ts';
import type { HostedWebhooks } from '../hosted.ts';
import type { ControlOptions } from '../options.ts';
import { ControlError } from './errors.ts';
import { Places } from './places.ts';
import { scopeOfCaller } from './scope.ts';
import { leavingOf } from './wait.ts';
import { Waiters } from './waiters.ts';
import { WebhooksAnswer, webhookRow, WebhooksQuery } from './webhooks-wire.ts';

const TAKES =
  'The query has after, the cursor of an earlier answer, and timeout, 0 to 30 seconds, by default 10.';
const REFUSES = ['attempts.elsewhere', 'wait.limit_reached'] as const;

const DEFAULT_SECONDS = 10;
const MOST_WAITERS = { all: 200, ofAddress: 100 } as const;
const RETRY_AFTER_SECONDS = 1;

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
  const closing = closingOf(app);
  const places = new Places(MOST_WAITERS);
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
      const address = options.addressOf(request);
      if (places.isFullFor(address)) {
        reply.header('Retry-After', RETRY_AFTER_SECONDS);
        throw new ControlError('wait.limit_reached');
      }
      places.take(address);
      try {
        await webhooks.listen();
        const question = { scope: scopeOfCaller(request), after: Number(query.after ?? 0) };
        const signal = AbortSignal.any([closing, leavingOf(reply)]);
        const ms = Number(query.timeout ?? DEFAULT_SECONDS) * 1000;
        await waiters.wait({ question, isOver: (found) => found.length > 0, ms, signal });
        return { data: answerOf(webhooks, question) };
      } finally {
        places.leave(address);
      }
    },
  );
}

function answerOf(webhooks: HostedWebhooks, { scope, after }: Question) {
  const found = webhooks.after(scope, after);
  const cursor = found.at(-1)?.number ?? webhooks.last();
  return { cursor: String(cursor), webhooks: found.map(webhookRow) };
}
