import { expect, test } from 'vitest';
import { apiTokenDigest, type ApiTokenId } from '../../src/account/api-token.ts';
import type { AttemptRecord } from '../../src/attempt/attempt.ts';
import { DAY_MS, MINUTE_MS, type Ms } from '../../src/values/time.ts';
import type { Person } from '../../src/account/user.ts';
import type {
  RedeemAttempt,
  Store,
  TokenOwner,
  TokenWithUser,
} from '../../src/store/ports/store.port.ts';
import {
  authentication,
  nextSerial,
  redemption,
  sampleAttempt,
  samplePerson,
  SEAL,
  START,
  tokenNumbered,
} from './samples.ts';
import { useStore, type OpenStore } from './store-under-test.ts';

const ISSUED_AT = START + 2;
const FIRST_PAGE = { after: null, limit: 100 };
const EXPIRES_AT = ISSUED_AT + 30 * DAY_MS;

export function tokenTests(open: OpenStore): void {
  const store = useStore(open);

  test('S-15, S-20: a token is found by its digest and by its attempt, with its user', async () => {
    const { attempt, issued } = await issue(store(), samplePerson());
    expect(issued.token).toMatchObject({
      attemptId: attempt.attemptId,
      client: attempt.client,
      userId: issued.user.id,
      revokedAt: null,
    });
    expect(await store().findToken(issued.token.tokenDigest)).toEqual(issued);
    expect(await store().findTokenOfAttempt(attempt.attemptId)).toEqual(issued);
    expect(await store().findToken(apiTokenDigest('unknown'))).toBeNull();
    expect(await store().findTokenOfAttempt(sampleAttempt().attemptId)).toBeNull();
  });

  test('S-20: a revoked token is still found, and its look-up says so', async () => {
    const { issued } = await issue(store(), samplePerson());
    const { tokenId, tokenDigest } = issued.token;
    await store().revokeToken(tokenId, issued.token, ISSUED_AT + 1);
    const revoked = { ...issued.token, revokedAt: ISSUED_AT + 1 };
    expect((await store().findToken(tokenDigest))?.token).toEqual(revoked);
  });

  test('S-21: the list holds active tokens of that person and client only, newest first', async () => {
    const person = samplePerson();
    const tokens = [];
    for (const at of [ISSUED_AT, ISSUED_AT + 5, ISSUED_AT + 3]) {
      tokens.push((await issue(store(), person, { at, token: tokenAt(at) })).issued.token);
    }
    await issue(store(), samplePerson());
    await issue(store(), person, {}, { client: 'another' });
    const [first, second, third] = tokens;
    if (first === undefined || third === undefined) throw new Error('there are three');
    const list = (now: Ms) => store().listTokens(first, FIRST_PAGE, now);
    expect(await list(ISSUED_AT + 6)).toEqual([second, third, first]);
    await store().revokeToken(third.tokenId, third, ISSUED_AT + 6);
    expect(await list(ISSUED_AT + 6)).toEqual([second, first]);
    expect(await list(EXPIRES_AT)).toEqual([second]);
  });

  test('S-21: a token is listed up to, and not at, its expiry', async () => {
    const { token } = (await issue(store(), samplePerson())).issued;
    expect(await store().listTokens(token, FIRST_PAGE, EXPIRES_AT - 1)).toEqual([token]);
    expect(await store().listTokens(token, FIRST_PAGE, EXPIRES_AT)).toEqual([]);
  });

  test('S-21: pages follow each other, whatever is issued and ends in between', async () => {
    const person = samplePerson();
    const issueAt = async (at: Ms) =>
      (await issue(store(), person, { at, token: tokenAt(at) })).issued.token;
    const [one, two, three, four] = [
      await issueAt(ISSUED_AT),
      await issueAt(ISSUED_AT + 1),
      await issueAt(ISSUED_AT + 2),
      await issueAt(ISSUED_AT + 3),
    ];
    const page = (after: ApiTokenId | null) =>
      store().listTokens(one, { after, limit: 2 }, ISSUED_AT + 9);
    expect(await page(null)).toEqual([four, three]);
    await store().revokeToken(three.tokenId, three, ISSUED_AT + 9);
    await issueAt(ISSUED_AT + 4);
    expect(await page(three.tokenId)).toEqual([two, one]);
    expect(await page(two.tokenId)).toEqual([one]);
    expect(await page(one.tokenId)).toEqual([]);
  });

  test('S-22: an active token is revoked once, by its own person and client, before its expiry', async () => {
    const { token } = (await issue(store(), samplePerson())).issued;
    const other = (await issue(store(), samplePerson())).issued.token;
    const { tokenId } = token;
    const revoke = (owner: TokenOwner, at: Ms) => store().revokeToken(tokenId, owner, at);
    expect(await revoke(other, ISSUED_AT)).toBe(false);
    expect(await revoke({ ...token, client: 'another' }, ISSUED_AT)).toBe(false);
    expect(await store().revokeToken(tokenAt(0).tokenId, token, ISSUED_AT)).toBe(false);
    expect(await revoke(token, EXPIRES_AT)).toBe(false);
    expect(await revoke(token, EXPIRES_AT - 1)).toBe(true);
    expect(await revoke(token, EXPIRES_AT - 1)).toBe(false);
  });

  test('S-22: of many revocations at once one says true', async () => {
    const { issued } = await issue(store(), samplePerson());
    const { token } = issued;
    const racers = Array.from({ length: 64 }, () =>
      store().revokeToken(token.tokenId, token, ISSUED_AT),
    );
    expect((await Promise.all(racers)).filter(Boolean)).toHaveLength(1);
  });

  test('S-16: wrong keys are counted where there is a seal, also at once', async () => {
    const sealed = await issue(store(), samplePerson(), { seal: SEAL });
    const misses = Array.from({ length: 7 }, () => store().missReplay(sealed.attempt.attemptId));
    await Promise.all(misses);
    const found = await store().findAttempt(sealed.attempt.attemptId);
    expect(found?.attempt.redemption).toEqual({ ...SEAL, misses: 7 });
  });

  test('S-16: a wrong key changes nothing where there is no seal', async () => {
    const { attempt } = await issue(store(), samplePerson());
    const before = await store().findAttempt(attempt.attemptId);
    await store().missReplay(attempt.attemptId);
    await store().missReplay(sampleAttempt().attemptId);
    expect(await store().findAttempt(attempt.attemptId)).toEqual(before);
  });

  test('S-5: the times of a row are the ones that were given', async () => {
    const at = START + MINUTE_MS;
    const { issued } = await issue(store(), samplePerson(), { at, token: tokenAt(7) });
    expect(issued.token.createdAt).toBe(7);
  });
}

function tokenAt(at: Ms): RedeemAttempt['token'] {
  return tokenNumbered(nextSerial(), at);
}

async function issue(
  store: Store,
  person: Person,
  changes: Partial<RedeemAttempt> = {},
  of: Partial<AttemptRecord> = {},
): Promise<{ attempt: AttemptRecord; issued: TokenWithUser }> {
  const attempt = sampleAttempt(of);
  await store.insertAttempt(attempt);
  const login = await store.authenticateAttempt(authentication(attempt, { person }));
  const token = await store.redeemAttempt(redemption(attempt, { at: ISSUED_AT, ...changes }));
  const user = login?.user ?? null;
  if (token === null || user === null) throw new Error('the redemption was refused');
  return { attempt, issued: { token, user } };
}
