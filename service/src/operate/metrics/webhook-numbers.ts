import { Counter, Gauge, type Registry } from 'prom-client';
import { SECOND_MS } from '../../values/time.ts';
import { type Meter, WEBHOOK_OUTCOMES } from './meter.port.ts';

/** The numbers of webhooks. All instances with one database show the same of what waits. */
export function webhookNumbers(
  registry: Registry,
): Pick<Meter, 'webhookTried' | 'webhooksStanding'> {
  const registers = [registry];
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const tries = new Counter({
    name: 'miftah_webhook_tries_total',
    help: 'Tries to deliver a webhook',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of WEBHOOK_OUTCOMES) tries.inc({ outcome }, 0);
  const waiting = gauge('miftah_webhooks_waiting', 'Webhooks that are to be delivered');
  const oldest = gauge(
    'miftah_webhooks_oldest_seconds',
    'How long the oldest webhook has waited for its delivery',
  );
  const off = gauge('miftah_webhook_receivers_off', 'Receivers that have answered 410');
  return {
    webhookTried: (outcome, count = 1) => tries.inc({ outcome }, count),
    webhooksStanding(standing) {
      waiting.set(standing.waiting);
      oldest.set(standing.oldestMs / SECOND_MS);
      off.set(standing.switchedOff);
    },
  };
}
