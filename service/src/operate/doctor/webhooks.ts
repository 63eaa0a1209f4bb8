import type { Config } from '../../config/config.ts';
import { systemClock } from '../../platform/runtime.ts';
import type { StoreInspection } from '../../store/index.ts';
import { HOUR_MS, isoTimestamp } from '../../values/time.ts';
import { receiversOf } from '../require-clients.ts';
import { type Delivery, MOST_WAITING, triedWords } from '../../webhooks/webhook.ts';
import { ok, warning, type Finding } from './finding.ts';

const CHECK = 'webhooks';

/** Receivers that have not taken what waits for them for so long are away, or refuse it. */
const LONG_MS = HOUR_MS;

/** Whether back ends take what they are told. Their addresses are not called. */
export async function examineWebhooks(
  config: Config,
  { outbox }: Pick<StoreInspection, 'outbox'>,
): Promise<Finding[]> {
  const receivers = receiversOf(config);
  if (receivers.length === 0) return [];
  const known = new Map(receivers.map(({ receiver, host }) => [receiver, host]));
  const long = systemClock.now() - LONG_MS;
  const off = (await outbox.switchedOff()).filter(({ receiver }) => known.has(receiver));
  const late = (await outbox.waiting(MOST_WAITING)).filter(
    // What is left of another receiver is sent to nobody, and given up after a day.
    ({ receiver, oldestAt }) => known.has(receiver) && oldestAt < long,
  );
  const tried = await Promise.all(late.map(({ receiver }) => outbox.oldestTried(receiver)));
  const findings = [
    ...off.map(({ client, receiver, at }) => {
      const whose = `The receiver ${known.get(receiver) ?? receiver} of ${client}`;
      const what = `${whose} answered 410 at ${isoTimestamp(at)}, and is told nothing since.`;
      return warning(CHECK, what, `If it is there again: \`miftah webhooks enable ${receiver}\`.`);
    }),
    ...late.map(({ client, receiver, count, oldestAt }, index) => {
      const whose = `${known.get(receiver) ?? receiver} of ${client}`;
      const oldest = isoTimestamp(oldestAt);
      const what = `${count} webhooks wait for ${whose}, the oldest since ${oldest}${said(tried[index])}.`;
      return warning(
        CHECK,
        what,
        'See what it answers, and whether a firewall lets the service out.',
      );
    }),
  ];
  const counted = receivers.length === 1 ? '1 receiver' : `${receivers.length} receivers`;
  const sound = ok(CHECK, `${counted}, and nothing waits for long.`);
  return findings.length === 0 ? [sound] : findings;
}

const said = (tried: Delivery | null | undefined) =>
  tried === null || tried === undefined ? '' : `: ${triedWords(tried)}`;
