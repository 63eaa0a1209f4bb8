import { BUILT_IN_PEOPLE } from '@miftah/simulator/engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { LiveClient } from '../support/live/live-client.ts';
import { BANK_KEY, rehearse, type Rehearsal } from '../support/live/rehearsal.ts';
import { BEHIND_PROXY, eachOf, somebody, times } from '../support/attacks/crowd.ts';
import { DatabaseCopy } from '../support/attacks/database-copy.ts';
import { logIn, redeemed, signIn } from '../support/live/live-login.ts';

let rehearsal: Rehearsal;
let bank: LiveClient;
beforeAll(async () => {
  rehearsal = await rehearse({ settings: BEHIND_PROXY });
  bank = new LiveClient(rehearsal, BANK_KEY);
});
afterAll(async () => rehearsal[Symbol.asyncDispose]());

const RACERS = 64;
const RACES = atLength(20, 8);

describe('threat 10: one attempt, many redemptions at the same time', () => {
  it(`${RACES} times ${RACERS} at once: one token each, and 409 for all others`, async () => {
    const finished = await eachOf(times(RACES), () => signIn(bank), 4);
    for (const attempt of finished) {
      const answers = await Promise.all(times(RACERS).map(() => redeemed(bank, attempt)));
      const won = answers.filter(({ status }) => status === 200);
      const lost = answers.filter(({ code }) => code === 'attempt.already_redeemed');
      expect([won.length, lost.length]).toEqual([1, RACERS - 1]);
      expect((await bank.user(String(won[0]?.data['token']))).status).toBe(200);
    }
    using database = new DatabaseCopy(rehearsal.service);
    for (const { started } of finished) {
      const sql = 'SELECT count(*) AS rows FROM api_tokens WHERE attempt_id = ?';
      expect(database.all(sql, started.attempt_id)).toEqual([{ rows: 1 }]);
    }
  });
});

describe('threat 11: a redemption that is sent again', () => {
  it('is 409, and the first token stays good', async () => {
    const finished = await signIn(bank);
    const first = await redeemed(bank, finished);
    expect(first.status).toBe(200);
    for (const again of [finished, { ...finished, code: '' }]) {
      expect((await redeemed(bank, again)).code).toBe('attempt.already_redeemed');
    }
    expect((await bank.user(String(first.data['token']))).status).toBe(200);
  });
});

const FIRST_LOGINS = 50;

describe('threat 14: a person who signs in for the first time, many times at once', () => {
  it(`is one user in ${FIRST_LOGINS} answers`, async () => {
    const finished = await Promise.all(times(FIRST_LOGINS).map(() => signIn(bank, 'hanae')));
    const answers = await Promise.all(finished.map((one) => redeemed(bank, one)));
    const users = answers.map(({ data }) => (data['user'] as { id: number }).id);
    expect(users).toHaveLength(FIRST_LOGINS);
    expect(new Set(users).size).toBe(1);
  });
});

const CROWD = 60;
const ROUNDS = atLength(3, 1);

describe('threat 15: many people at once', () => {
  it(`${ROUNDS} rounds of ${CROWD}: everybody gets a token of their own`, async () => {
    const { all, fallback } = BUILT_IN_PEOPLE;
    const crowd = times(CROWD).map((index) => all[index % all.length] ?? fallback);
    for (const _ of times(ROUNDS)) {
      const seen = await Promise.all(crowd.map(({ id }) => idsSeenBy(id)));
      expect(seen).toEqual(crowd.map(({ nationalId: id }) => [id.slice(-4), id, id]));
    }
  });
});

/** The user ids in the status, the redemption and `GET /user` after a sign-in. */
async function idsSeenBy(person: string): Promise<unknown[]> {
  const finished = await signIn(bank, person);
  const status = await bank.status(finished.started);
  const issued = await redeemed(bank, finished);
  const asked = await bank.get('/user', bearer(String(issued.data['token'])));
  return [idIn(status.data['user']), idIn(issued.data['user']), idIn(asked.data)];
}

const bearer = (token = '') => ({ ...somebody(), authorization: `Bearer ${token}` });
const idIn = (user: unknown) => (user as { national_id: string } | null)?.national_id;

describe('threat 48: a token after its revocation', () => {
  it('is refused at once, and after a crash and a start anew', async () => {
    const tokens = await Promise.all(times(3).map(() => logIn(bank)));
    const [own, byAnother, kept] = tokens;
    const remove = (path: string, token?: string) =>
      bank.send(path, { method: 'DELETE', headers: bearer(token) });
    const statuses = () =>
      eachOf(tokens, async (one) => (await bank.get('/user', bearer(one))).status);
    expect(await statuses()).toEqual([200, 200, 200]);

    expect((await remove('/token', own)).status).toBe(204);
    expect(await statuses()).toEqual([401, 200, 200]);
    const { body } = await bank.get('/tokens', bearer(byAnother));
    const current = (body['data'] as { id: string; current: boolean }[]).find((one) => one.current);
    expect((await remove(`/tokens/${current?.id}`, kept)).status).toBe(204);
    expect(await statuses()).toEqual([401, 401, 200]);
    const asked = await bank.post('/introspect', { token: byAnother }, somebody());
    expect(asked.text).toBe('{"active":false}');

    await rehearsal.service.kill();
    await (await rehearsal.spawnAgain()).ready();
    expect(await statuses()).toEqual([401, 401, 200]);
  });
});
