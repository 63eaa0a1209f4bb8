import type { Logger } from 'pino';
import type { Clients } from '../account/clients.port.ts';
import type { CollectServices } from '../attempt/read-attempt.flow.ts';
import { collectPending } from '../attempt/status/collect-pending.flow.ts';
import type { Config } from '../config/config.ts';
import type { Meter } from '../operate/metrics/meter.port.ts';
import { createOutbound, systemLookUp } from '../outbound/outbound.ts';
import type { LookUp, Outbound } from '../outbound/outbound.port.ts';
import { outboundRules } from '../outbound/rules.ts';
import type { Clock, Random, Timer } from '../platform/runtime.port.ts';
import { createScheduler } from '../platform/scheduler.ts';
import type { ExchangeRecorder } from '../request/record/exchange-recorder.port.ts';
import { MINUTE_MS, SECOND_MS, type Ms } from '../values/time.ts';
import { WebhookDeliveries, type WebhookNews } from './deliver.flow.ts';
import { listeningOutbound, type WebhookListeners } from './listen.flow.ts';
import { signedHeaders } from './sign.ts';
import { measureWaiting, MOST_COUNTED, sweepExpired } from './tend.flow.ts';

export interface WebhookNeeds extends CollectServices {
  readonly config: Config;
  readonly clock: Clock;
  readonly machineClock: Clock;
  readonly timer: Timer;
  /** Resolves in a turn of the event loop in which nobody else works. */
  readonly nextTurn: () => Promise<void>;
  readonly random: Random;
  readonly meter: Meter;
  readonly logger: Logger;
  readonly clients: Clients;
  readonly lookUp?: LookUp | undefined;
  /** Null in live mode. */
  readonly recorder: ExchangeRecorder | null;
  /** Null in live mode. */
  readonly listeners: WebhookListeners | null;
  /** While a test has moved the time, and what was decided before is not collected yet. */
  readonly isMoving: () => boolean;
}

/** Sends webhooks until it is stopped. */
export interface Webhooks {
  /** After the clients were read anew. */
  refresh(): void;
  /** Does at once what is due, because a test has moved the time. */
  catchUp(): Promise<void>;
  stop(): Promise<void>;
}

/** How soon an expiry is written, and a try that has failed is repeated. */
const LOOK_INTERVAL_MS = SECOND_MS;
/** How soon what a person has decided is known, where no status is read meanwhile. */
const COLLECT_INTERVAL_MS = 2 * SECOND_MS;
/** How many attempts the provider is asked about in one round. */
const COLLECTED = 64;
/** How long a stop waits for receivers and the provider. */
const STOP_MS = SECOND_MS;
const SHOW_INTERVAL_MS = 15 * SECOND_MS;
/** Seldom, because it goes over the index of all that wait. */
const BOUND_INTERVAL_MS = 5 * MINUTE_MS;

type Task = readonly [interval: Ms, work: () => Promise<unknown>];

export function openWebhooks(needs: WebhookNeeds): Webhooks {
  const { store, clock, timer, logger, clients, listeners } = needs;
  const { outbox } = store;
  const told = () => listeners?.joined(clients.all()) ?? clients.all();
  let isStopped = false;
  const onError = (error: unknown) => {
    // After a stop that did not wait, the store is closed.
    if (!isStopped) logger.error({ err: error }, 'webhooks could not be sent');
  };
  // With turns of its own: a receiver that hangs holds up no call of the OpenID Provider.
  const lookUp = needs.lookUp ?? systemLookUp;
  const outbound = createOutbound({ ...outboundRules(needs.config), lookUp });
  const deliveries = deliveriesOf(needs, outbound, onError);
  deliveries.follow(told());
  listeners?.onReset(() => deliveries.settleListeners());
  const scheduler = createScheduler(onError);
  const collect = collectPending(needs, { of: 'told', limit: COLLECTED });
  const tasks: readonly Task[] = [
    [
      LOOK_INTERVAL_MS,
      async () => {
        if (!needs.isMoving()) await sweepExpired(outbox, clock.now());
        deliveries.look();
      },
    ],
    // How often one push is asked about is limited for all who ask. In plain simulator mode the
    // housekeeping does it, for all.
    ...(needs.config.simulator?.isStrict === false
      ? []
      : [[COLLECT_INTERVAL_MS, () => collect(clock.now())] as const]),
    ...boundTasks(needs, deliveries),
  ];
  const repeated = tasks.map(([interval, work]) =>
    scheduler.every(interval, async () => {
      if (store.health().ready) await work();
    }),
  );
  return {
    refresh: () => deliveries.follow(told()),
    async catchUp() {
      await Promise.all(repeated.map((task) => task.runNow()));
    },
    async stop() {
      isStopped = true;
      const ended = Promise.all([deliveries.stop(), ...repeated.map((task) => task.stop())]);
      // What is not answered by then is sent again, by another instance or after the next start.
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const cancel = timer.after(STOP_MS, resolve);
      await Promise.race([ended, late]);
      cancel();
      outbound.close();
    },
  };
}

/** Counts what waits, and gives up what is beyond the bound. */
function boundTasks(
  { store: { outbox }, clock, meter }: WebhookNeeds,
  deliveries: WebhookDeliveries,
): readonly Task[] {
  let mayBeBeyond = false;
  return [
    [
      SHOW_INTERVAL_MS,
      async () => {
        const { receivers } = deliveries;
        const count = await measureWaiting(outbox, meter, { now: clock.now(), receivers });
        mayBeBeyond = count >= MOST_COUNTED;
      },
    ],
    [
      BOUND_INTERVAL_MS,
      async () => {
        if (mayBeBeyond) await deliveries.keepBounds();
      },
    ],
  ];
}

function deliveriesOf(
  needs: WebhookNeeds,
  outbound: Outbound,
  onError: (error: unknown) => void,
): WebhookDeliveries {
  const { store, clock, machineClock, random, meter, logger, listeners } = needs;
  return new WebhookDeliveries({
    outbox: store.outbox,
    outbound: listeners === null ? outbound : listeningOutbound(outbound, listeners, store),
    clock,
    machineClock,
    nextTurn: needs.nextTurn,
    random,
    meter,
    sign: signedHeaders,
    tell: newsLog(logger),
    recorder: needs.recorder,
    onError,
  });
}

function newsLog(logger: Logger): (news: WebhookNews) => void {
  return ({ news, ...facts }) => {
    switch (news) {
      case 'switched_off':
        return logger.warn(facts, 'a receiver of webhooks has answered 410 and is switched off');
      case 'given_up':
        return logger.warn(facts, 'a webhook was given up after 24 hours');
      case 'failing':
        return logger.warn(facts, 'a receiver of webhooks has not taken one, which is tried again');
      case 'too_many':
        return logger.warn(
          facts,
          'more webhooks wait for a receiver than are kept, and the oldest were given up',
        );
    }
  };
}
