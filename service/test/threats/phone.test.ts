import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Started } from '../support/live/live-client.ts';
import { PersonBrowser } from '../support/live/person-browser.ts';
import { OTHER_PERSON, PERSON } from '../support/live/provider-double.ts';
import { shareUnmoved } from '../support/live/live-service.ts';
import { bringPush, OWN_SECRET, wordsOf } from '../support/live/steps.ts';
import { withoutRequestId } from '../support/without-request-id.ts';

const scene = shareUnmoved();

/** Each test uses another number, because a person can have only one open push. */
let people = 0;
const somebody = () => String(1_087_100_000 + (people += 1));

async function statusOf(started: Started): Promise<unknown> {
  return (await scene().bank.status(started)).data['status'];
}

describe('threat 1: completion of a phone attempt without the person', () => {
  it('asks for the attempt token, whatever the attempt', async () => {
    const { bank } = scene();
    const started = await bank.startPhone(somebody());
    for (const attempt_id of [started.attempt_id, randomUUID(), 'x']) {
      const answer = await bank.post('/complete-mfa', { attempt_id });
      expect([answer.status, answer.code]).toEqual([401, 'attempt.token_missing']);
    }
    const wrong = await bank.confirm({ ...started, attempt_token: 'x'.repeat(64) });
    const unknown = await bank.confirm({ ...started, attempt_id: randomUUID() });
    expect([wrong.status, wrong.code]).toEqual([404, 'attempt.not_found']);
    expect(wordsOf(unknown).replaceAll(/[\w-]{36}/g, '')).toBe(
      wordsOf(wrong).replaceAll(/[\w-]{36}/g, ''),
    );
  });

  it.each(['WAITING', 'COMPLETED'])('makes nobody of an unsigned %s', async (word) => {
    const { bank, provider } = scene();
    const started = await bank.startPhone(somebody());
    provider.push(started.attempt_id).status = word;
    for (const _ of [1, 2]) {
      const answer = await bank.confirm(started);
      expect([answer.status, answer.code]).toEqual([409, 'attempt.pending']);
      expect(answer.body).toMatchObject({ success: false });
    }
    const refused = await bank.redeem(started);
    expect([refused.status, refused.code]).toEqual([409, 'attempt.pending']);
    expect(await statusOf(started)).toBe('pending');
  });

  it('lets the signed result through, and masks who it is before the redemption', async () => {
    const { bank, provider } = scene();
    const person = somebody();
    const started = await bank.startPhone(person);
    expect(started.random).toBe('07');
    expect((await bringPush(scene(), provider.message(started.attempt_id))).status).toBe(200);
    const confirmed = await bank.confirm(started);
    expect([confirmed.status, confirmed.body['success']]).toEqual([200, true]);
    const { user } = (await bank.status(started)).data;
    expect(user).toMatchObject({ national_id: person.slice(-4), name: '', english_name: '' });
    const issued = await bank.redeem(started);
    expect(issued.data).toMatchObject({ user: { national_id: person, last_auth_method: 'mfa' } });
    // The attempt token alone still reveals no more.
    expect((await bank.status(started)).data['user']).toEqual(user);
  });
});

describe('threat 2: completion by POST /callback', () => {
  it('is refused in the same bytes before anything is looked at', async () => {
    const { anybody, bank } = scene();
    const redirect = await bank.startRedirect();
    const phone = await bank.startPhone(somebody());
    const states = [redirect.attempt_id, phone.attempt_id, randomUUID(), '', 7, null];
    const bodies = states.map((state) => JSON.stringify({ state, auto_complete: true }));
    const answers = await Promise.all(
      [...bodies, '{', '[]', 'x'.repeat(40_000)].flatMap((body) =>
        ['application/json', 'text/plain', 'application/problem+json'].map((type) =>
          anybody.send('/callback', { method: 'POST', headers: { 'content-type': type }, body }),
        ),
      ),
    );
    expect(new Set(answers.map(({ status, code }) => `${status} ${code}`))).toEqual(
      new Set(['403 simulator.disabled']),
    );
    expect(new Set(answers.map(wordsOf)).size).toBe(1);
    expect(await statusOf(redirect)).toBe('pending');
    expect(await statusOf(phone)).toBe('pending');
  });
});

describe('threat 20: the operation of the other flow', () => {
  it('leaves a redirect attempt pending on /complete-mfa and on a push', async () => {
    const { bank, provider } = scene();
    const phone = await bank.startPhone(somebody());
    const redirect = await bank.startRedirect();
    const wrong = await bank.confirm(redirect);
    expect([wrong.status, wrong.code, wrong.body['success']]).toEqual([
      409,
      'attempt.wrong_flow',
      false,
    ]);
    const message = provider.message(phone.attempt_id);
    const pushed = await bringPush(scene(), { ...message, requestId: redirect.attempt_id });
    expect(pushed.status).toBe(200);
    expect(await statusOf(redirect)).toBe('pending');
    expect(await statusOf(phone)).toBe('pending');
  });

  it('has no launch page for a phone attempt', async () => {
    const { anybody, bank, origin } = scene();
    const { attempt_id: state } = await bank.startPhone(somebody());
    const page = await anybody.get(`/callback?state=${state}`);
    const unknown = await anybody.get(`/callback?state=${randomUUID()}`);
    const [shown, expected] = [page, unknown].map(({ text, headers }) =>
      withoutRequestId(text, headers.get('x-request-id')),
    );
    expect([page.status, shown]).toEqual([404, expected]);
    const address = new URL(
      'callback/launch',
      `${origin.replace('127.0.0.1', 'localhost')}/api/v1/`,
    );
    const launch = await new PersonBrowser().submit(address, { state, secret: OWN_SECRET });
    expect([launch.status, launch.headers.get('set-cookie')]).toEqual([404, null]);
  });
});

const RESIDENT = '2087001101';
const named = (number: string) => ({ sub: number, PersonId: number });

describe('threat 35: the provider answers with another person', () => {
  it.each([
    ['in the same register', { nin: OTHER_PERSON, ...named(OTHER_PERSON) }],
    ['in another register', { nin: undefined, iqamaNumber: RESIDENT, ...named(RESIDENT) }],
  ])('%s: the attempt fails', async (_, claims) => {
    const { bank, provider } = scene();
    const started = await bank.startPhone(somebody());
    const { attempt_id: id } = started;
    const other = provider.message(id, provider.phoneToken(id, claims));
    const answer = await bringPush(scene(), other);
    expect([answer.status, answer.code]).toEqual([502, 'provider.mismatch']);
    expect((await bank.status(started)).data).toMatchObject({ status: 'failed', user: null });
    // The valid message then comes too late.
    expect((await bringPush(scene(), provider.message(id))).status).toBe(200);
    expect((await bank.redeem(started)).code).toBe('attempt.failed');
  });

  it('not even when the right number stands beside the other one', async () => {
    const { bank, provider } = scene();
    const person = somebody();
    const started = await bank.startPhone(person);
    const { attempt_id: id } = started;
    const both = provider.phoneToken(id, { nin: PERSON, nationalId: person, sub: PERSON });
    const answer = await bringPush(scene(), provider.message(id, both));
    expect(answer.status).toBe(502);
    expect((await bank.redeem(started)).status).toBe(409);
  });
});
