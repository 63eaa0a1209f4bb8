import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Secret } from '../../src/values/secret.ts';
import { signedHeaders } from '../../src/webhooks/sign.ts';
import {
  endOne,
  HOOK_SECRET,
  hookAt,
  openHooked,
  OUTSIDE,
  shareReceivers,
  triesOf,
} from '../support/live/hooked-live.ts';
import { plainReceiver } from '../support/outbound/receiver.ts';
import { webhookSecret } from '../support/outbound/webhook-receiver.ts';

/** Attacks by and on webhooks in live mode. 127.0.0.2 stands for a host that may be called. */

const INSIDE = '127.0.0.1';
const SECRET = HOOK_SECRET;
const { receivers, outside } = shareReceivers();

describe('threats 56 and 140: an address of a receiver that leads inside', () => {
  it('is called where it may be, by https', async () => {
    const hook = await outside();
    const scene = await openHooked([hookAt(hook.port)]);
    const attempt_id = await endOne(scene);
    await expect
      .poll(() => hook.told.map(({ data }) => data))
      .toEqual([{ attempt_id, status: 'rejected', reason: 'attempt.cancelled' }]);
  });

  it.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', 'localhost'])(
    'is not called: %s',
    async (host) => {
      const inside = await plainReceiver((_, answer) => answer.end(), onTestFinished);
      const scene = await openHooked([`https://${host}:${inside.port}/hook`], [INSIDE]);
      await endOne(scene);
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
    hook.answer = () => (answer) => answer.writeHead(204, { connection: 'close' }).end();
    const scene = await openHooked([hookAt(hook.port)], [OUTSIDE, INSIDE]);
    await endOne(scene);
    await expect.poll(async () => triesOf(scene, 'delivered')).toBe(1);
    await endOne(scene);
    await expect.poll(async () => triesOf(scene, 'failed')).toBe(1);
    expect([hook.arrived.length, inside.connections()]).toEqual([1, 0]);
  });

  it('is not reached by a redirect, and the webhook is not delivered by one', async () => {
    const other = await outside();
    const hook = await outside();
    const location = hookAt(other.port);
    hook.answer = () => (answer) => answer.writeHead(307, { location }).end();
    const scene = await openHooked([hookAt(hook.port)]);
    await endOne(scene);
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
    const urls = [good, silent, endless].map(({ port }) => hookAt(port));
    const scene = await openHooked(urls);
    const ids = [];
    for (let one = 0; one < 3; one += 1) ids.push(await endOne(scene));
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
