import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { share } from '../support/at-end.ts';
import { miftah } from '../support/programs/operator.ts';
import { PersonBrowser } from '../support/live/person-browser.ts';
import { LiveClient } from '../support/live/live-client.ts';
import { BANK_KEY } from '../support/live/rehearsal.ts';
import { eachOf, times } from '../support/attacks/crowd.ts';
import { openBuilt, shareUnmoved } from '../support/live/live-service.ts';
import { shareRehearsal } from '../support/live/shared-rehearsal.ts';
import { createFakeClock } from '../support/service/fake-clock.ts';
import { comeBack, exchangesOf, launched, returnUrl, signedIn } from '../support/live/steps.ts';

const RETURNS = 2000;
const GARBAGE = 1000;

/** Its time stands still: no quota grows back, however long the requests take. */
const rehearsal = shareRehearsal({}, { clock: createFakeClock(Date.now()) });
const scene = shareUnmoved();
/** A service with so little memory that an unlimited queue would end it. */
const small = share((atEnd) =>
  openBuilt({ settings: { NODE_OPTIONS: '--max-old-space-size=256' } }, atEnd),
);

async function auditOf(attemptId: string): Promise<string[]> {
  const { out } = await miftah(rehearsal(), ['audit', '--json', '--attempt', attemptId]);
  const rows = out.trim().split('\n').filter(Boolean);
  return rows.map((line) => (JSON.parse(line) as { action: string }).action);
}

describe('threat 60: a log that anybody can grow', () => {
  it(`${RETURNS} strange returns are five rows at most, and still are when the attempt has ended`, async () => {
    const bank = new LiveClient(rehearsal(), BANK_KEY);
    const started = await bank.startRedirect();
    const launcher = new PersonBrowser();
    const back = await launcher.returnFrom(
      await launcher.launch(started.authorization_url),
      'amal',
    );
    const seen = await eachOf(times(RETURNS), async () => (await fetch(back)).status);
    // First refused as a mismatch, later by the rate limit.
    expect(new Set(seen)).toEqual(new Set([403, 429]));
    expect((await launcher.open(back)).status).toBe(403);
    const ended = await eachOf(times(100), async () => (await fetch(back)).status);
    expect(ended).not.toContain(403);
    const rows = await auditOf(started.attempt_id);
    expect(rows.filter((action) => action === 'attempt.spoiled')).toHaveLength(1);
    expect(rows.length).toBeLessThanOrEqual(5);
  });
});

describe('threat 60: what a strange return is kept from', () => {
  it(`${GARBAGE} garbage returns from the victim’s address do not keep the victim’s from its effect`, async () => {
    const { bank, origin } = scene();
    const started = await bank.startRedirect();
    const attacker = await launched(started);
    scene().provider.approve(started.attempt_id);
    const garbage = await eachOf(times(GARBAGE), async (count) => {
      return (await fetch(`${origin}/api/v1/callback?state=garbage-${count}`)).status;
    });
    expect(new Set(garbage)).toEqual(new Set([404, 429]));
    expect((await comeBack(scene(), started, new PersonBrowser())).status).toBe(429);
    const taken = await comeBack(scene(), started, attacker);
    expect([taken.status, taken.location]).toEqual([403, null]);
    expect(exchangesOf(scene(), started)).toBe(0);
    expect((await bank.status(started)).data['status']).toBe('failed');
  });

  it('the launching browser behind the same address is not turned away for it', async () => {
    const { origin, bank } = scene();
    for (const count of times(130)) await fetch(`${origin}/api/v1/callback?state=other-${count}`);
    expect(await signedIn(scene(), await bank.startRedirect())).toMatch(/^[\w-]{43}$/);
  });

  it('it waits for no exchange that is under way, and that one comes to nothing', async () => {
    const { bank, provider } = scene();
    const started = await bank.startRedirect();
    const attacker = await launched(started);
    provider.approve(started.attempt_id);
    const asked = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const honest = provider.honest('exchange');
    provider.answer('exchange', (call, response) => {
      asked.resolve();
      void held.promise.then(() => honest(call, response));
    });
    const exchanging = comeBack(scene(), started, attacker);
    await asked.promise;
    const strange = await comeBack(scene(), started, new PersonBrowser());
    expect([403, 429]).toContain(strange.status);
    held.resolve();
    const taken = await exchanging;
    expect([taken.status, taken.location]).toEqual([403, null]);
    expect((await bank.status(started)).data).toMatchObject({ status: 'failed', user: null });
    expect(returnUrl(scene(), started)).not.toContain(started.attempt_id);
  });
});

const CONNECTIONS = 6;
const PIPELINED_BYTES = 8 * 2 ** 20;
const LOOKS = 3000;

describe('threat 60: returns that wait for each other', () => {
  it(`${CONNECTIONS} connections with 8 MB of returns each, never read, leave the service alive`, async () => {
    const started = await small().bank.startRedirect();
    const [[name = '', value = ''] = []] = (await launched(started)).cookies;
    const { pathname, search, host, port } = new URL(returnUrl(small(), started));
    const head = `GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n`;
    // Requests of the launching browser and of other browsers alternate.
    const two = `${head}Cookie: ${name}=${value}\r\n\r\n${head}\r\n`;
    const bytes = Buffer.from(two.repeat(Math.ceil(PIPELINED_BYTES / two.length)));
    const sockets = times(CONNECTIONS).map(() => connect(Number(port), '127.0.0.1').pause());
    for (const socket of sockets) socket.on('error', () => undefined).write(bytes);
    const looks = await eachOf(times(LOOKS), async () => {
      return (await fetch(`${small().origin}/livez`)).status;
    });
    for (const socket of sockets) socket.destroy();
    expect(new Set(looks)).toEqual(new Set([200]));
  });
});
