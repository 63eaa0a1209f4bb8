import type { FastifyReply } from 'fastify';
import { object, oneOf, optional } from '@miftah/schema';
import type { Clock } from '../../engine/ports.ts';
import { dateOf } from '../../http/stamp.ts';
import type { TypedApp } from '../../http/type-provider.ts';
import type { ControlOptions } from '../../options.ts';
import type { AllPrompts } from '../all-prompts.ts';
import { AttemptNews } from './attempt-news.ts';
import { ControlError } from '../errors.ts';
import { ScopeNews } from './scope-news.ts';
import { scopeOfCaller } from '../scope.ts';
import type { TimeLines } from '../attempts/time-lines.ts';

const RETRY_MS = 2000;

const TAKES =
  'The query may have attempts=yes, to be told of attempts too, and once=yes, for what is now only.';

const YesNo = optional(oneOf(['yes', 'no']));

const EventsQuery = object({ attempts: YesNo, once: YesNo });

const EVENTS = {
  description:
    'Events named `prompts`: `now`, the time of the service, `frozen`, whether it stands still, and ' +
    '`data`, all that waits for a person. With `attempts=yes` also events named `attempts`: the ' +
    'newest 200 attempts, with `all` true, and then those that have changed. `all` is true again ' +
    'when rows have gone: what is not among `data` is to be forgotten. With `once=yes` the answer ' +
    'ends after one event of each name, and is not counted as a stream.',
  content: { 'text/event-stream': { schema: { type: 'string' } } },
} as const;

/** GET /simulator/events: what waits for a person, now and after each change. */
export function streamEvents(
  app: TypedApp,
  prompts: AllPrompts,
  timeLines: TimeLines,
  { time, timer, journal, addressOf }: ControlOptions,
): void {
  const attempts = new AttemptNews(timeLines, journal);
  const news = new ScopeNews({ prompts, attempts, time, timer });
  app.addHook('preClose', (done) => {
    news.close();
    done();
  });
  const schema = {
    operationId: 'streamEvents',
    summary: 'What waits for a person, now and after each change, as a stream',
    querystring: EventsQuery,
    response: { 200: EVENTS },
  };
  // A stream for a HEAD request would never end.
  app.get(
    '/events',
    { schema, config: { takes: TAKES, refuses: ['stream.limit_reached'] }, exposeHeadRoute: false },
    (request, reply) => {
      const scope = scopeOfCaller(request);
      const { attempts: told, once } = request.query;
      const isOnce = once === 'yes';
      const address = addressOf(request);
      if (!isOnce && news.isFullFor(address)) throw new ControlError('stream.limit_reached');
      beginStream(reply, time);
      news.add(reply.raw, { scope, address, wantsAttempts: told === 'yes', isOnce });
    },
  );
}

function beginStream(reply: FastifyReply, clock: Clock): void {
  reply.header('Date', dateOf(clock));
  reply.header('Content-Type', 'text/event-stream; charset=utf-8');
  // For nginx, which would otherwise keep events back.
  reply.header('X-Accel-Buffering', 'no');
  reply.hijack();
  const headers = Object.entries(reply.getHeaders()).filter(([, value]) => value !== undefined);
  reply.raw.writeHead(200, Object.fromEntries(headers));
  reply.raw.write(`retry: ${RETRY_MS}\n\n`);
}
