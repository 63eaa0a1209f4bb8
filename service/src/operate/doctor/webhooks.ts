import { ConfigError, type Config } from '../../config/config.ts';
import { systemClock } from '../../platform/runtime.ts';
import type { StoreInspection } from '../../store/index.ts';
import { HOUR_MS, isoTimestamp } from '../../values/time.ts';
import { receiversOf } from '../require-clients.ts';
import { type Delivery, MOST_WAITING, triedWords } from '../../webhooks/webhook.ts';
import { ok, warning, type Finding } from './finding.ts';

const CHECK = 'webhooks';
const OF_FILE = 'Not looked at: the receivers are in the clients file.';
const OF_LATE = 'See what it answers, and whether a firewall lets the service out.';

/** Receivers that have not taken what waits for them for so long are away, or refuse it. */
const LONG_MS = HOUR_MS;

/** Whether back ends take what they are told. Their addresses are not called. */
export async function examineWebhooks(
  config: Config,
  { outbox }: Pick<StoreInspection, 'outbox'>,
): Promise<Finding[]> {
  const receivers = knownReceivers(config);
  if (receivers === null) return [warning(CHECK, OF_FILE, 'See the finding `clients` first.')];
  if (receivers.length === 0) return [];
  const known = new Map(receivers.map(({ receiver, host }) => [receiver, host]));
  const long = systemClock.now() - LONG_MS;
  const off = (await outbox.switchedOff()).filter(({ receiver }) => known.has(receiver));
  const isOff = new Set(off.map(({ receiver }) => receiver));
  const lost = await outbox.givenUpCounts();
  // What is left of another receiver is sent to nobody, and given up after a day.
  const waiting = await outbox.waiting(MOST_WAITING, [...known.keys()]);
  const told = await Promise.all(
    waiting.map(async ({ client, receiver, count, oldestAt }) => {
      const tried = await outbox.oldestTried(receiver);
      const whose = `${known.get(receiver) ?? receiver} of ${client}`;
      const many = count === 1 ? '1 webhook waits' : `${count} webhooks wait`;
      const what = `${many} for ${whose}, the oldest since ${isoTimestamp(oldestAt)}${said(tried)}.`;
      return { what, isLate: oldestAt < long, isRefused: tried !== null };
    }),
  );
  const findings = [
    ...off.map(({ client, receiver, at }) => {
      const whose = `The receiver ${known.get(receiver) ?? receiver} of ${client}`;
      const what = `${whose} answered 410 at ${isoTimestamp(at)}, and is told nothing since.`;
      return warning(CHECK, what, `If it is there again: \`miftah webhooks enable ${receiver}\`.`);
    }),
    ...told.filter(({ isLate }) => isLate).map(({ what }) => warning(CHECK, what, OF_LATE)),
    ...lost
      .filter(({ receiver }) => known.has(receiver) && !isOff.has(receiver))
      .map(({ client, receiver, count }) => {
        const many = count === 1 ? '1 webhook was' : `${count} webhooks were`;
        const whose = `${known.get(receiver) ?? receiver} of ${client}`;
        const what = `${many} given up for ${whose}, and can be sent again for seven days.`;
        return warning(
          CHECK,
          what,
          `\`miftah webhooks replay --all --client ${client}\` sends them.`,
        );
      }),
  ];
  const counted = receivers.length === 1 ? '1 receiver' : `${receivers.length} receivers`;
  if (findings.length > 0) return findings;
  // Nobody has to act on them yet, and an operator who looks for the reason finds it here.
  const refused = told.filter(({ isRefused }) => isRefused).map(({ what }) => what);
  return refused.length === 0
    ? [ok(CHECK, `${counted}, and nothing waits for long.`)]
    : [ok(CHECK, [`${counted}.`, ...refused].join(' '))];
}

/** Null where the file can't be read. */
function knownReceivers(config: Config): ReturnType<typeof receiversOf> | null {
  try {
    return receiversOf(config);
  } catch (error) {
    if (error instanceof ConfigError) return null;
    throw error;
  }
}

const said = (tried: Delivery | null) => (tried === null ? '' : `: ${triedWords(tried)}`);
