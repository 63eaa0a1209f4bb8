import { expect, test } from 'vitest';
import type { ApiTokenRecord } from '../../src/account/api-token.ts';
import type { AttemptRecord } from '../../src/attempt/attempt.ts';
import { DAY_MS } from '../../src/values/time.ts';
import type { Person } from '../../src/account/user.ts';
import type { RevocationScope } from '../../src/store/ports/store.port.ts';
import type { Store } from '../../src/store/ports/store.port.ts';
import {
  authentication,
  opening,
  redemption,
  redirectTransaction,
  sampleAttempt,
  samplePerson,
  START,
} from './samples.ts';
import { withStore, type OpenStore } from './store-under-test.ts';

const AT = START + 5;

/** Two people at two clients, each with a token and an authenticated attempt. */
const OWNERS = [
  { who: 0, client: 'one' },
  { who: 0, client: 'two' },
  { who: 1, client: 'one' },
  { who: 1, client: 'two' },
] as const;

const SCOPES = {
  all: { scopeOf: () => 'all', covers: () => true },
  'one user': {
    scopeOf: ({ userId }) => ({ userId }),
    covers: ({ who }) => who === 0,
  },
  'one client': { scopeOf: () => ({ client: 'one' }), covers: ({ client }) => client === 'one' },
} as const satisfies Record<string, Scope>;

interface Scope {
  readonly scopeOf: (first: Owned) => RevocationScope;
  readonly covers: (owner: (typeof OWNERS)[number]) => boolean;
}

type Owned = Awaited<ReturnType<typeof issueAndWait>>;

export function revocationTests(open: OpenStore): void {
  test.each(Object.entries(SCOPES))('S-74: of %s, nothing else', (_, scope: Scope) =>
    withStore(open, async (store) => {
      const owned = await ownAll(store);
      const [first] = owned;
      if (first === undefined) throw new Error('nobody owns anything');
      const covered = OWNERS.map((owner) => scope.covers(owner));
      const count = covered.filter(Boolean).length;
      const counts = await store.revokeAll(AT, scope.scopeOf(first));
      expect(counts).toEqual({ tokens: count, attempts: count, last: null });
      for (const [index, each] of owned.entries()) {
        const isCovered = covered[index] === true;
        const found = await store.findToken(each.token.tokenDigest);
        expect(found?.token.revokedAt).toBe(isCovered ? AT : null);
        const again = redemption(each.waiting, { at: AT + 1 });
        expect((await store.redeemAttempt(again)) === null).toBe(isCovered);
      }
      expect(await store.revokeAll(AT + 1, scope.scopeOf(first))).toEqual({
        tokens: 0,
        attempts: 0,
        last: null,
      });
    }),
  );

  test('S-74: an attempt that can not be redeemed any more has failed', () =>
    withStore(open, async (store) => {
      const { waiting } = await issueAndWait(store, samplePerson(), 'one');
      await store.revokeAll(AT, 'all');
      const found = await store.findAttempt(waiting.attemptId);
      expect(found?.attempt).toMatchObject({ failedAt: AT, endReason: 'attempt.failed' });
    }));

  test.each(['all', { client: 'simulator' }] as const)(
    'S-74: what is pending fails too, of %j',
    (scope) =>
      withStore(open, async (store) => {
        const [push, launched] = [sampleAttempt(), sampleAttempt({ flow: 'oidc' })];
        const elsewhere = sampleAttempt({ client: 'another' });
        for (const one of [push, launched, elsewhere]) await store.insertAttempt(one);
        const transaction = redirectTransaction();
        const opened = opening(launched, { transaction, providerExpiresAt: null });
        await store.openTransaction(opened);
        const isAll = scope === 'all';
        const counts = { tokens: 0, attempts: isAll ? 3 : 2, last: null };
        expect(await store.revokeAll(AT, scope)).toEqual(counts);
        const found = await store.findTransaction(launched.attemptId);
        expect(found?.attempt).toMatchObject({ failedAt: AT, endReason: 'attempt.failed' });
        expect(found?.transaction).toMatchObject({ launchUrl: null });
        for (const one of [push, launched, elsewhere]) {
          const login = await store.authenticateAttempt(authentication(one, { at: AT }));
          expect(login === null).toBe(isAll || one !== elsewhere);
        }
        expect(await store.verifyAudit()).toMatchObject({ ok: true });
      }),
  );

  test('S-74: what is redeemed, ended or over stays as it is', () =>
    withStore(open, async (store) => {
      const rejected = sampleAttempt();
      const expired = sampleAttempt({ expiresAt: AT });
      for (const one of [rejected, expired]) await store.insertAttempt(one);
      await store.authenticateAttempt(authentication(expired));
      const end = { attemptId: rejected.attemptId, at: START + 1 };
      await store.rejectAttempt({ ...end, reason: 'attempt.rejected' });
      const redeemed = sampleAttempt();
      await store.insertAttempt(redeemed);
      await store.authenticateAttempt(authentication(redeemed));
      const over = redemption(redeemed);
      await store.redeemAttempt({ ...over, token: { ...over.token, expiresAt: AT } });
      const read = () =>
        Promise.all([
          ...[rejected, expired, redeemed].map((one) => store.findAttempt(one.attemptId)),
          store.findTokenOfAttempt(redeemed.attemptId),
        ]);
      const before = await read();
      expect(await store.revokeAll(AT, 'all')).toEqual({ tokens: 0, attempts: 0, last: null });
      expect(await read()).toEqual(before);
    }));

  test('S-74: beside redemptions, no token comes out that counts', () =>
    withStore(open, async (store) => {
      const waiting = await Promise.all(
        Array.from({ length: 32 }, () => authenticated(store, samplePerson(), 'one')),
      );
      const redeem = (one: AttemptRecord) => store.redeemAttempt(redemption(one));
      await Promise.all([
        ...waiting.slice(0, 16).map(redeem),
        store.revokeAll(AT, 'all'),
        ...waiting.slice(16).map(redeem),
      ]);
      for (const { attemptId } of waiting) {
        const found = await store.findTokenOfAttempt(attemptId);
        expect(found === null || found.token.revokedAt === AT).toBe(true);
      }
      for (const one of waiting) {
        expect(await redeem(one)).toBeNull();
      }
    }));

  test('S-78: in pages by id, each with its row; the first fails the attempts', () =>
    withStore(open, async (store) => {
      const owned = await ownMany(store, 5);
      const ids = owned.map(({ token }) => token.tokenId).toSorted();
      const pages = [];
      const redeemed = [];
      for (const after of [null, ids[1] ?? null, ids[3] ?? null]) {
        pages.push(await store.revokeAll(AT, 'all', { after, limit: 2 }));
        expect(await store.verifyAudit()).toMatchObject({ ok: true });
        const [first] = owned;
        redeemed.push(
          first === undefined ? 0 : await store.redeemAttempt(redemption(first.waiting)),
        );
      }
      expect(pages).toEqual([
        { tokens: 2, attempts: 5, last: ids[1] },
        { tokens: 2, attempts: 0, last: ids[3] },
        { tokens: 1, attempts: 0, last: null },
      ]);
      expect(redeemed).toEqual([null, null, null]);
      expect(await activeOf(store, owned)).toEqual([]);
      const rows = (await store.readAudit({ after: 0, limit: 1000 })).slice(-3);
      expect(rows).toMatchObject(
        [2, 2, 1].map((count) => ({
          action: 'tokens.revoked_all',
          at: AT,
          detail: count === 1 ? 'all' : null,
          count,
        })),
      );
      expect(await store.verifyAudit()).toMatchObject({ ok: true });
    }));

  test.each(Object.entries(SCOPES))('S-78: a page of %s, nothing else', (_, scope: Scope) =>
    withStore(open, async (store) => {
      const owned = await ownAll(store);
      const [first] = owned;
      if (first === undefined) throw new Error('nobody owns anything');
      const isCovered = OWNERS.map((owner) => scope.covers(owner));
      const covered = owned.filter((__, index) => isCovered[index]);
      const last = covered
        .map(({ token }) => token.tokenId)
        .toSorted()
        .at(-1);
      const page = { after: null, limit: covered.length };
      const counts = await store.revokeAll(AT, scope.scopeOf(first), page);
      expect(counts).toEqual({ tokens: covered.length, attempts: covered.length, last });
      const active = await activeOf(store, owned);
      const others = owned.filter((__, index) => !isCovered[index]);
      expect(active).toEqual(others.map(({ token }) => token));
      const rest = await store.revokeAll(AT, scope.scopeOf(first), {
        ...page,
        after: last ?? null,
      });
      expect(rest).toEqual({ tokens: 0, attempts: 0, last: null });
    }),
  );
}

async function activeOf(store: Store, owned: readonly Owned[]): Promise<ApiTokenRecord[]> {
  const found = await Promise.all(owned.map(({ token }) => store.findToken(token.tokenDigest)));
  const tokens = found.flatMap((one) => (one === null ? [] : [one.token]));
  return tokens.filter(({ revokedAt }) => revokedAt === null);
}

async function ownMany(store: Store, count: number): Promise<Owned[]> {
  const owned = [];
  for (let left = count; left > 0; left -= 1) {
    owned.push(await issueAndWait(store, samplePerson(), 'one'));
  }
  return owned;
}

async function ownAll(store: Store): Promise<Owned[]> {
  const people = [samplePerson(), samplePerson()] as const;
  const owned = [];
  for (const { who, client } of OWNERS) owned.push(await issueAndWait(store, people[who], client));
  return owned;
}

async function issueAndWait(store: Store, person: Person, client: string) {
  const attempt = await authenticated(store, person, client);
  const change = redemption(attempt);
  const fields = { ...change.token, expiresAt: AT + DAY_MS };
  const token = await store.redeemAttempt({ ...change, token: fields });
  if (token === null) throw new Error('the redemption was refused');
  const waiting = await authenticated(store, person, client);
  return { waiting, token, userId: token.userId };
}

async function authenticated(store: Store, person: Person, client: string): Promise<AttemptRecord> {
  const attempt = sampleAttempt({ client });
  await store.insertAttempt(attempt);
  await store.authenticateAttempt(authentication(attempt, { person }));
  return attempt;
}
