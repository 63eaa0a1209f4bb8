import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeClientsFile } from '../../../scripts/rehearsal.ts';
import { systemClock } from '../../src/platform/runtime.ts';
import { parseIpAddress } from '../../src/values/ip-address.ts';
import { signedHeaders } from '../../src/webhooks/sign.ts';
import { Secret } from '../../src/values/secret.ts';
import { share, temporaryFolder } from '../support/at-end.ts';
import { openLive, type OpenedScene } from '../support/live/live-service.ts';
import { CLIENTS } from '../support/live/rehearsal.ts';
import { plainReceiver, trustedReceivers } from '../support/outbound/receiver.ts';
import { webhookReceiver, webhookSecret } from '../support/outbound/webhook-receiver.ts';

/** Attacks by and on webhooks in live mode. 127.0.0.2 stands for a host that may be called. */

const HOST = 'receiver.test';
const OUTSIDE = '127.0.0.2';
const INSIDE = '127.0.0.1';
const SECRET = webhookSecret(3);
const AMAL = '1000001101';

const receivers = share(async (atEnd) => trustedReceivers(HOST, atEnd));

/** @param found what the name leads to, each time that it is looked up */
async function openWith(urls: readonly string[], found: readonly string[] = [OUTSIDE]) {
  const webhooks = urls.map((url) => ({ url, secrets: [SECRET] }));
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

/** Starts a sign-in by phone, and cancels it. */
async function end({ bank }: OpenedScene): Promise<string> {
  const started = await bank.startPhone(AMAL);
  await bank.cancel(started);
  return started.attempt_id;
}

async function triesOf({ origin }: OpenedScene, outcome: string): Promise<number> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const [, count] =
    new RegExp(`miftah_webhook_tries_total{outcome="${outcome}"} (\\d+)`).exec(text) ?? [];
  return Number(count);
}

const outside = async (port?: number) => {
  const open = receivers();
  const place = port === undefined ? { address: OUTSIDE } : { address: OUTSIDE, port };
  return webhookReceiver(onTestFinished, SECRET, (handler) => open(handler, place));
};

describe('threat 140: an address of a receiver that leads inside', () => {
  it('is called where it may be, by https', async () => {
    const hook = await outside();
    const scene = await openWith([`https://${HOST}:${hook.port}/hook`]);
    const attempt_id = await end(scene);
    await expect
      .poll(() => hook.told.map(({ data }) => data))
      .toEqual([{ attempt_id, status: 'rejected', reason: 'attempt.cancelled' }]);
  });

  it.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', 'localhost'])(
    'is not called: %s',
    async (host) => {
      const inside = await plainReceiver((_, answer) => answer.end(), onTestFinished);
      const scene = await openWith([`https://${host}:${inside.port}/hook`], [INSIDE]);
      await end(scene);
      await expect.poll(async () => triesOf(scene, 'failed')).toBe(1);
      expect(inside.connections()).toBe(0);
    },
  );

  it('is not called by a name that leads elsewhere after it was checked', async () => {
    const hook = await outside();
    const inside = await receivers()((_, answer) => answer.end(), {
      address: INSIDE,
      port: hook.port,
    });
    const scene = await openWith([`https://${HOST}:${hook.port}/hook`], [OUTSIDE, INSIDE]);
    await end(scene);
    await expect.poll(() => hook.told.length).toBe(1);
    await end(scene);
    await expect.poll(async () => triesOf(scene, 'failed')).toBe(1);
    expect([hook.told.length, inside.connections()]).toEqual([1, 0]);
  });

  it('is not reached by a redirect, and the webhook is not delivered by one', async () => {
    const other = await outside();
    const hook = await outside();
    const location = `https://${HOST}:${other.port}/hook`;
    hook.answer = () => (answer) => answer.writeHead(307, { location }).end();
    const scene = await openWith([`https://${HOST}:${hook.port}/hook`]);
    await end(scene);
    await expect.poll(async () => triesOf(scene, 'failed')).toBe(1);
    expect([other.arrived.length, await triesOf(scene, 'delivered')]).toEqual([0, 0]);
  });
});

describe('threat 140: a receiver that answers badly', () => {
  it('holds up neither sign-ins nor another receiver', async () => {
    const [good, silent, endless] = [await outside(), await outside(), await outside()];
    silent.answer = () => () => undefined;
    endless.answer = () => (answer) => {
      const more = (): unknown => answer.write('a'.repeat(64 * 1024), more);
      more();
    };
    const urls = [good, silent, endless].map(({ port }) => `https://${HOST}:${port}/hook`);
    const scene = await openWith(urls);
    const ids = [];
    for (let one = 0; one < 3; one += 1) ids.push(await end(scene));
    await expect
      .poll(() => new Set(good.told.map(({ data }) => data['attempt_id'])), { timeout: 20_000 })
      .toEqual(new Set(ids));
    await expect.poll(async () => triesOf(scene, 'failed'), { timeout: 20_000 }).toBeGreaterThan(1);
    expect(silent.told.length + endless.told.length).toBe(0);
  });
});

const verify = (text: string, given: Record<string, string>) => () =>
  new Webhook(SECRET).verify(text, given);

describe('threat 140: a forged webhook', () => {
  const at = Date.now();
  const body = '{"type":"attempt.authenticated"}';
  const headers = (secret = SECRET, moment = at) =>
    Object.fromEntries(signedHeaders('one', body, [new Secret(secret)], moment));
  it('fails the check: another body, id, time or secret, and an old one', () => {
    expect(verify(body, headers())).not.toThrow();
    const forged = [
      [`${body} `, headers()],
      [body, { ...headers(), 'webhook-id': 'two' }],
      [body, { ...headers(), 'webhook-timestamp': String(Math.floor(at / 1000) + 1) }],
      [body, headers(webhookSecret(4))],
      [body, headers(SECRET, at - 10 * 60_000)],
    ] as const;
    for (const [text, given] of forged) {
      expect(verify(text, given)).toThrow(WebhookVerificationError);
    }
  });
});
