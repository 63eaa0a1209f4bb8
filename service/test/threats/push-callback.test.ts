import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/values/time.ts';
import type { Started } from '../support/live/live-client.ts';
import { cut, json, text } from '../support/provider/area-b.ts';
import type { Changes } from '../support/provider/token-forge.ts';
import { shareOpened } from '../support/live/live-service.ts';
import { bringPush } from '../support/live/steps.ts';

const scene = shareOpened();

let people = 0;
function somebody(): string {
  scene().clock.advance(HOUR_MS);
  return String(1_087_800_000 + (people += 1));
}

async function statusOf(started: Started): Promise<unknown> {
  return (await scene().bank.status(started)).data['status'];
}

async function bring({ attempt_id: id }: Started, changes: Changes = {}): Promise<number> {
  const { provider } = scene();
  const token = provider.phoneToken(id, changes);
  return (await bringPush(scene(), provider.message(id, token))).status;
}

describe('threat 34: a forged push', () => {
  it('is refused, and the attempt goes on', async () => {
    const { bank, provider } = scene();
    const [person, stranger] = [somebody(), somebody()];
    const started = await bank.startPhone(person);
    const other = await bank.startPhone(stranger);
    const { attempt_id: id } = started;
    const right = provider.message(id);
    const own = provider.push(id);
    const foreign = provider.push(other.attempt_id);
    const forged = {
      'no signature': { ...right, token: right.token.replace(/[^.]*$/, 'AAAA') },
      'no token': { ...right, token: 'x' },
      'a token of another attempt': { ...right, token: provider.phoneToken(other.attempt_id) },
      'the transaction of another attempt': { ...right, transId: foreign.transId },
      'the transaction in capitals': { ...right, transId: own.transId.toUpperCase() },
      'another transaction in both': {
        ...right,
        transId: foreign.transId,
        token: provider.phoneToken(id, { transId: foreign.transId }),
      },
      'an old token': { ...right, token: provider.phoneToken(id, { exp: 1, iat: 1, nbf: 1 }) },
      'for another service': {
        ...right,
        token: provider.phoneToken(id, { ServiceName: 'Transfer' }),
      },
      'for the service name': { ...right, token: provider.phoneToken(id, { aud: 'Login' }) },
      'for another relying party': {
        ...right,
        token: provider.phoneToken(id, { aud: 'https://other.example.test' }),
      },
      'a made-up status': { ...right, token: provider.phoneToken(id, { status: 'APPROVED' }) },
    };
    for (const [name, message] of Object.entries(forged)) {
      const answer = await bringPush(scene(), message);
      expect([name, answer.status, answer.code]).toEqual([name, 401, 'push.unverified']);
      expect(answer.headers.get('www-authenticate')).toBe('SignedResult');
      expect(answer.text).not.toContain(own.nationalId);
    }
    expect(await statusOf(started)).toBe('pending');
    expect((await bank.redeem(started)).code).toBe('attempt.pending');
    expect((await bringPush(scene(), right)).status).toBe(200);
    expect(await statusOf(started)).toBe('authenticated');
  });

  it('is told from a genuine one with the attempt’s id in capitals', async () => {
    const { bank, provider } = scene();
    const started = await bank.startPhone(somebody());
    const message = provider.message(started.attempt_id);
    const requestId = message.requestId.toUpperCase();
    expect((await bringPush(scene(), { ...message, token: 'x.y.z', requestId })).status).toBe(401);
    expect((await bringPush(scene(), { ...message, requestId })).status).toBe(200);
    expect(await statusOf(started)).toBe('authenticated');
  });

  it('with an unsigned COMPLETED beside it is not believed', async () => {
    const { bank, provider } = scene();
    const started = await bank.startPhone(somebody());
    const { attempt_id: id } = started;
    const message = { ...provider.message(id, 'x.y.z'), status: 'COMPLETED' };
    expect((await bringPush(scene(), message)).status).toBe(401);
    expect(await statusOf(started)).toBe('pending');
  });

  it.each([
    ['unknown', () => randomUUID()],
    ['in another form', () => "' OR 1=1 --"],
    ['empty', () => ''],
  ])('for a requestId that is %s is answered 200', async (_, makeId) => {
    const message = { token: 'x.y.z', transId: randomUUID(), requestId: makeId() };
    const answer = await bringPush(scene(), message);
    expect([answer.status, answer.body]).toEqual([200, { received: true }]);
  });

  it('is not limited by address: 200 of them do not keep the right one out', async () => {
    const { bank, provider } = scene();
    const started = await bank.startPhone(somebody());
    const { attempt_id: id } = started;
    const flood = Array.from({ length: 200 }, () =>
      bringPush(scene(), provider.message(id, 'x.y.z')),
    );
    expect(new Set((await Promise.all(flood)).map(({ status }) => status))).toEqual(new Set([401]));
    expect(await bring(started)).toBe(200);
    expect(await statusOf(started)).toBe('authenticated');
  });

  it('is answered 5xx while the keys can’t be had, so that it comes again', async () => {
    const { bank, clock, provider } = scene();
    const started = await bank.startPhone(somebody());
    const { attempt_id: id } = started;
    provider.answer('keys', text('down', 503));
    clock.advance(SECOND_MS);
    const token = provider.phoneToken(id, {}, { kid: 'new-kid' });
    const answer = await bringPush(scene(), provider.message(id, token));
    expect([answer.status, answer.code]).toEqual([503, 'provider.unavailable']);
    expect(await statusOf(started)).toBe('pending');
  });
});

describe('threat 34: a genuine push at the wrong time', () => {
  it('before the answer to its start, it waits for it', async () => {
    const { anybody, bank, provider, server } = scene();
    const brought = Promise.withResolvers<number>();
    let isEarly = false;
    provider.answer('push', (call, response) => {
      const answer = provider.openPush(call);
      const overtake = async () => {
        const arrived = once(server, 'request');
        const bringing = bring({ attempt_id: answer.requestId } as Started);
        brought.resolve(bringing.finally(() => (isEarly = true)));
        await arrived;
        // Requests after it are answered; the message itself is not.
        for (const _ of [1, 2, 3]) await anybody.get('/user');
        json(isEarly ? {} : answer)(call, response);
      };
      void overtake();
    });
    const started = await bank.startPhone(somebody());
    expect(await brought.promise).toBe(200);
    expect(await statusOf(started)).toBe('authenticated');
    expect((await bank.redeem(started)).status).toBe(200);
  });

  it('after a lost answer to its start, it revives nothing', async () => {
    const { bank, provider } = scene();
    const person = somebody();
    provider.answer('push', (call, response) => {
      provider.openPush(call);
      cut(call, response);
    });
    for (const _ of [1, 2, 3]) {
      const lost = await bank.start({ national_id: person });
      expect([lost.status, lost.code]).toEqual([504, 'provider.timeout']);
      expect(lost.text).not.toMatch(/attempt_token|"07"/);
      const { requestId } = provider.lastPush;
      expect(await bring({ attempt_id: requestId } as Started)).toBe(200);
    }
    // A sign-in would have reset the person's budget.
    expect((await bank.start({ national_id: person })).code).toBe('push.budget_spent');
    expect(provider.received('push').filter(({ body }) => body.includes(person))).toHaveLength(3);
  });

  it('after its attempt has expired, it revives nothing', async () => {
    const { bank, clock } = scene();
    const started = await bank.startPhone(somebody());
    clock.advance(MINUTE_MS);
    expect(await bring(started)).toBe(200);
    expect((await bank.status(started)).data).toMatchObject({ status: 'expired', user: null });
    expect((await bank.redeem(started)).code).toBe('attempt.expired');
  });

  it('a refusal after the approval changes nothing', async () => {
    const { bank } = scene();
    const started = await bank.startPhone(somebody());
    expect(await bring(started)).toBe(200);
    expect(await bring(started, { status: 'REJECTED' })).toBe(200);
    expect(await statusOf(started)).toBe('authenticated');
    expect((await bank.redeem(started)).status).toBe(200);
  });

  it('an approval after the refusal changes nothing', async () => {
    const { bank } = scene();
    const started = await bank.startPhone(somebody());
    expect(await bring(started, { status: 'REJECTED' })).toBe(200);
    expect(await bring(started)).toBe(200);
    expect((await bank.status(started)).data).toMatchObject({ status: 'rejected', user: null });
    expect((await bank.redeem(started)).code).toBe('attempt.rejected');
  });

  it('both at once: one of them, and it stays', async () => {
    const { bank } = scene();
    for (const _ of Array.from({ length: 10 })) {
      const started = await bank.startPhone(somebody());
      const both = [bring(started), bring(started, { status: 'REJECTED' })];
      expect(await Promise.all(both)).toEqual([200, 200]);
      const status = await statusOf(started);
      expect(['authenticated', 'rejected']).toContain(status);
      expect((await bank.redeem(started)).status).toBe(status === 'authenticated' ? 200 : 409);
    }
  });
});
