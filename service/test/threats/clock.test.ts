import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { PersonBrowser } from '../support/live/person-browser.ts';
import { somebody, times } from '../support/attacks/crowd.ts';
import { DatabaseCopy } from '../support/attacks/database-copy.ts';
import { OWN_SECRET } from '../support/live/steps.ts';
import {
  openLiveWorld,
  openSimulatorWorld,
  type Approved,
  type World,
} from '../support/live/in-process.ts';

const SECOND_MS = 1000;
const DAY_MS = 24 * 3600 * SECOND_MS;

const opened: Record<string, World> = {};
beforeAll(async () => {
  [opened['simulator'], opened['live']] = await Promise.all([
    openSimulatorWorld(),
    openLiveWorld(),
  ]);
});
afterAll(async () => {
  await Promise.all(Object.values(opened).map((world) => world[Symbol.asyncDispose]()));
});

function worldOf(mode: string): World {
  const world = opened[mode];
  if (world === undefined) throw new Error(`no world for ${mode}`);
  return world;
}

const MODES = ['simulator', 'live'] as const;
const newKey = () => randomBytes(24).toString('base64url');

function redeem({ client }: World, { started, proof }: Approved, key?: string, extra = {}) {
  const headers = key === undefined ? {} : { 'idempotency-key': key };
  return client.redeem(started, { ...proof, ...extra }, { ...somebody(), ...headers });
}

describe.each(MODES)('threat 12, %s mode: the answer to a redemption is lost', (mode) => {
  it('the same key and body get the same token for a minute, and then no more', async () => {
    const world = worldOf(mode);
    const approved = await world.approved();
    const key = newKey();
    const first = await redeem(world, approved, key);
    expect(first.status).toBe(200);
    world.clock.advance(60 * SECOND_MS - 1);
    const again = await redeem(world, approved, key);
    expect(again.data).toEqual(first.data);
    world.clock.advance(1);
    expect((await redeem(world, approved, key)).code).toBe('attempt.already_redeemed');
  });

  it('another body is 422, and the fifth wrong key closes the window', async () => {
    const world = worldOf(mode);
    const approved = await world.approved();
    const key = newKey();
    const first = await redeem(world, approved, key);
    const other = await redeem(world, approved, key, { device_name: 'another' });
    expect(other.code).toBe('idempotency.mismatch');
    for (const _ of times(4)) {
      expect((await redeem(world, approved, newKey())).code).toBe('attempt.already_redeemed');
    }
    expect((await redeem(world, approved, key)).data).toEqual(first.data);
    expect((await redeem(world, approved, newKey())).code).toBe('attempt.already_redeemed');
    expect((await redeem(world, approved, key)).code).toBe('attempt.already_redeemed');
    expect((await world.client.user(String(first.data['token']))).status).toBe(200);
  });
});

describe('threat 19: an attempt after its five minutes', () => {
  it('is redeemed at 299 seconds in simulator mode, and not at 300', async () => {
    const world = worldOf('simulator');
    const [early, late] = await Promise.all([world.approved(), world.approved()]);
    world.clock.advance(299 * SECOND_MS);
    expect((await redeem(world, early)).status).toBe(200);
    world.clock.advance(SECOND_MS);
    await expectExpired(world, late);
  });

  it('is redeemed at 299 seconds in live mode, and not at 300', async () => {
    const world = worldOf('live');
    const late = await world.approved();
    const started = await world.start();
    const browser = new PersonBrowser();
    const back = await browser.returnFrom(await browser.launch(started.authorization_url), 'amal');
    expect((await browser.open(back)).status).toBe(303);
    world.clock.advance(299 * SECOND_MS);
    // A code is valid for two minutes; the same browser can get a new one.
    const { location } = await browser.open(back);
    const completion_code = location?.searchParams.get('completion_code') ?? '';
    expect((await redeem(world, { started, proof: { completion_code } })).status).toBe(200);
    world.clock.advance(SECOND_MS);
    await expectExpired(world, late);
  });
});

async function expectExpired(world: World, attempt: Approved): Promise<void> {
  expect((await redeem(world, attempt)).code).toBe('attempt.expired');
  const { data } = await world.client.status(attempt.started);
  expect(data).toMatchObject({ status: 'expired', token_ready: false, user: null });
}

describe('threat 19: an attempt that is completed too late', () => {
  it('is 410 in simulator mode, and stays expired', async () => {
    const world = worldOf('simulator');
    const started = await world.start();
    const phone = await world.client.startPhone('1000001101');
    world.clock.advance(300 * SECOND_MS);
    const { client } = world;
    const browser = await client.post('/callback', {
      state: started.attempt_id,
      auto_complete: true,
    });
    const push = await client.post('/complete-mfa', { attempt_id: phone.attempt_id });
    for (const answer of [
      browser,
      push,
      await client.redeem(started),
      await client.redeem(phone),
    ]) {
      expect([answer.status, answer.code]).toEqual([410, 'attempt.expired']);
    }
    for (const attempt of [started, phone]) {
      expect((await client.status(attempt)).data['status']).toBe('expired');
    }
  });

  it('is no way back in live mode: neither the launch nor the return nor the phone', async () => {
    const world = worldOf('live');
    const [started, unlaunched] = [await world.start(), await world.start()];
    const phone = await world.client.startPhone('1000001101');
    const browser = new PersonBrowser();
    const page = await browser.launch(started.authorization_url);
    const back = await browser.returnFrom(page, 'amal');
    world.clock.advance(300 * SECOND_MS);
    const late = await browser.open(back);
    expect([late.status, late.location?.searchParams.get('completion_code')]).toEqual([303, null]);
    expect((await browser.open(unlaunched.authorization_url)).status).toBe(404);
    const { origin } = new URL(unlaunched.authorization_url);
    const launch = `${origin}/api/v1/callback/launch`;
    expect(
      (await browser.submit(launch, { state: unlaunched.attempt_id, secret: OWN_SECRET })).status,
    ).toBe(404);
    expect((await world.client.confirm(phone)).code).toBe('attempt.expired');
    for (const attempt of [started, unlaunched, phone]) {
      expect((await world.client.redeem(attempt)).code).toBe('attempt.expired');
      expect((await world.client.status(attempt)).data['status']).toBe('expired');
    }
  });
});

const RUNS = atLength(500, 100);
const AT_ONCE = atLength(50, 20);
const ROUNDS = RUNS / AT_ONCE;

describe('threat 13: two ends of one attempt at the same time', () => {
  it(`completed and expired, ${RUNS} times: no token once it has expired`, async () => {
    const world = worldOf('simulator');
    const { client, clock } = world;
    const ends = { authenticated: 0, expired: 0 };
    for (const round of times(ROUNDS)) {
      const attempts = await Promise.all(times(AT_ONCE).map(() => world.start()));
      // Each answer moves the clock by a millisecond, AT_ONCE in all. In the first rounds the time
      // expires between the answers, and in the last one after them, however busy the machine is.
      const leftMs = (2 * AT_ONCE * (round + 1)) / ROUNDS;
      clock.advance(300 * SECOND_MS - leftMs);
      const answers = await Promise.all(
        attempts.map(async (started) => {
          const completed = await client.post('/callback', {
            state: started.attempt_id,
            auto_complete: true,
          });
          clock.advance(1);
          const redeemed = await client.redeem(started);
          return { started, completed, redeemed };
        }),
      );
      clock.advance(leftMs);
      for (const { started, completed, redeemed } of answers) {
        const { data } = await client.status(started);
        const later = await client.redeem(started);
        if (redeemed.status === 200) {
          expect([completed.status, data['status']]).toEqual([200, 'authenticated']);
          expect(later.code).toBe('attempt.already_redeemed');
          ends.authenticated += 1;
        } else {
          expect([data['status'], later.code]).toEqual(['expired', 'attempt.expired']);
          ends.expired += 1;
        }
      }
    }
    expect(ends.authenticated + ends.expired).toBe(RUNS);
    expect(Math.min(ends.authenticated, ends.expired)).toBeGreaterThan(0);
    using database = new DatabaseCopy(world);
    const late = `SELECT count(*) AS rows FROM api_tokens JOIN attempts USING (attempt_id)
      WHERE api_tokens.created_at >= attempts.expires_at`;
    expect(database.all(late)).toEqual([{ rows: 0 }]);
  });

  it('approved and refused: the first answer stands, whatever comes after', async () => {
    const world = worldOf('simulator');
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const decide = (state: string, decision: string) =>
      world.client.send('/callback/sign-in', {
        method: 'POST',
        headers: form,
        body: new URLSearchParams({ state, person: 'amal', decision }).toString(),
      });
    const ends = new Set<unknown>();
    for (const run of times(atLength(50, 10))) {
      const started = await world.start();
      const decisions = ['approve', 'refuse', 'not_me', 'approve'].toSorted(() => (run % 2) - 0.5);
      await Promise.all(decisions.map((decision) => decide(started.attempt_id, decision)));
      const { data } = await world.client.status(started);
      ends.add(data['status']);
      for (const decision of decisions) await decide(started.attempt_id, decision);
      expect((await world.client.status(started)).data).toEqual(data);
      const redeemed = await world.client.redeem(started);
      expect(redeemed.status).toBe(data['status'] === 'authenticated' ? 200 : 409);
    }
    expect([...ends].every((end) => end === 'authenticated' || end === 'rejected')).toBe(true);
  });
});

describe.each(MODES)('threat 48, %s mode: a token after its last day', (mode) => {
  it('is refused at its expiry, not a millisecond before', async () => {
    const world = worldOf(mode);
    const { data } = await redeem(world, await world.approved());
    const token = String(data['token']);
    world.clock.advance(30 * DAY_MS - 1);
    expect((await world.client.user(token)).status).toBe(200);
    world.clock.advance(1);
    expect((await world.client.user(token)).code).toBe('token.invalid');
    const { text } = await world.client.post(
      '/introspect',
      { token },
      mode === 'live' ? {} : { authorization: 'Bearer mfk_test_simulator' },
    );
    expect(text).toBe('{"active":false}');
  });
});
