import { onTestFinished } from 'vitest';
import { writeClientsFile } from '../../../../scripts/rehearsal.ts';
import { systemClock } from '../../../src/platform/runtime.ts';
import { parseIpAddress } from '../../../src/values/ip-address.ts';
import { share, temporaryFolder } from '../at-end.ts';
import { trustedReceivers } from '../outbound/receiver.ts';
import { webhookReceiver, webhookSecret } from '../outbound/webhook-receiver.ts';
import { openLive, type OpenedScene } from './live-service.ts';
import { CLIENTS } from './rehearsal.ts';

/** 127.0.0.2 stands for a host that may be called. */
export const OUTSIDE = '127.0.0.2';
const HOOK_HOST = 'receiver.test';
export const HOOK_SECRET = webhookSecret(3);
const AMAL = '1000001101';

/** Receivers by https, whose certificate this process trusts. */
export function shareReceivers() {
  const receivers = share(async (atEnd) => trustedReceivers(HOOK_HOST, atEnd));
  const outside = () =>
    webhookReceiver(onTestFinished, HOOK_SECRET, (handler) =>
      receivers()(handler, { address: OUTSIDE }),
    );
  return { receivers, outside };
}

export const hookAt = (port: number) => `https://${HOOK_HOST}:${port}/hook`;

/**
 * A live service whose client `bank` has these receivers.
 * @param found what their name leads to, each time that it is looked up
 */
export async function openHooked(
  urls: readonly string[],
  found: readonly string[] = [OUTSIDE],
): Promise<OpenedScene> {
  const webhooks = urls.map((url) => ({ url, secrets: [HOOK_SECRET] }));
  const folder = temporaryFolder('hooks', onTestFinished);
  const clients = [{ ...CLIENTS.bank, webhooks }];
  const settings = { CLIENTS_FILE: writeClientsFile(folder, clients), OUTBOUND_ALLOW: OUTSIDE };
  let asked = 0;
  const lookUp = async () => {
    const text = found[Math.min(asked, found.length - 1)] ?? '';
    asked += 1;
    const address = parseIpAddress(text);
    return address === null ? [] : [address];
  };
  return openLive({ settings, lookUp, machine: systemClock });
}

/** Starts a sign-in by phone, and cancels it. @returns its id */
export async function endOne({ bank }: OpenedScene): Promise<string> {
  const started = await bank.startPhone(AMAL);
  await bank.cancel(started);
  return started.attempt_id;
}

export async function triesOf({ origin }: OpenedScene, outcome: string): Promise<number> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const series = new RegExp(`miftah_webhook_tries_total{outcome="${outcome}"} (\\d+)`);
  return Number(series.exec(text)?.[1]);
}
