import { expect, test } from 'vitest';
import { SHARED_SESSION, TELLING_MS, TOLD_AT_END } from '../../src/account/openid-client.ts';
import type { OpenidRecord, Store } from '../../src/store/ports/store.port.ts';
import { digestNamed, START } from './samples.ts';
import {
  AT,
  authenticated,
  consumed,
  consumption,
  foundOf,
  grantOf,
  rowsOf,
  sampleRecord,
} from './store-openid.ts';
import { useStore, withStore, type OpenStore } from './store-under-test.ts';

export function openidGrantTests(open: OpenStore): void {
  followingTests(open);
  const store = useStore(open);

  test('S-130: of a grant that is not there nothing is written, and the log has no row of it', () =>
    withStore(open, async (empty) => {
      const { user, subject } = await consumed(empty);
      const rows = await rowsOf(empty);
      const record = sampleRecord({ grant: 'not there', subject });
      expect(await empty.putOpenid(record)).toBe(false);
      expect(await empty.putOpenid(record, { userId: user.id, at: AT })).toBe(false);
      expect(await empty.findOpenid(record)).toBeNull();
      expect(await rowsOf(empty)).toEqual(rows);
    }));

  test('S-130: a consumption begins one, under which records are written until it ends', async () => {
    const { attempt, subject, grant } = await consumed(store());
    const begun = { ...grantOf(attempt.attemptId), body: '{}', attemptId: null };
    expect(await store().findOpenid(begun)).toEqual(foundOf(sampleRecord(begun)));
    const whole = sampleRecord({ ...begun, grant, subject, body: 'whole' });
    const written = [whole, sampleRecord({ grant, subject })];
    for (const record of written) {
      expect(await store().putOpenid(record)).toBe(true);
    }
    expect((await store().findOpenid(whole))?.body).toBe('whole');
    await store().removeOpenidGrant(grant, AT);
    for (const record of [...written, sampleRecord({ grant, subject })]) {
      expect(await store().putOpenid(record)).toBe(false);
      expect(await store().findOpenid(record)).toBeNull();
    }
  });

  test('S-130: an attempt that is not consumed begins none', async () => {
    const { attempt } = await authenticated(store());
    const change = consumption(attempt, { completionDigest: digestNamed('wrong') });
    expect(await store().consumeAttempt(change)).toBeNull();
    expect(await store().findOpenid(change.begins)).toBeNull();
    expect(await store().putOpenid(sampleRecord({ grant: change.begins.id }))).toBe(false);
  });

  test.each(Object.entries(ENDS))(
    'S-130: %s leaves nothing under a grant that was begun before, whichever comes first',
    (_, end) =>
      withStore(open, async (own) => {
        for (let round = 0; round < ROUNDS; round += 1) {
          const signedIn = await consumed(own);
          const { subject, grant, attempt } = signedIn;
          const of = { grant, subject, client: attempt.client };
          const written = [{ model: 'Grant', id: grant }, {}, {}].map((name) =>
            sampleRecord({ ...of, ...name }),
          );
          const puts: Promise<unknown>[] = written.map((record) => own.putOpenid(record));
          // Among them: the engine decides which is the first.
          await Promise.all(puts.toSpliced(round % puts.length, 0, end(own, signedIn)));
          for (const record of written) {
            expect(await own.findOpenid(record)).toBeNull();
            expect(await own.putOpenid(record)).toBe(false);
          }
        }
        expect(await own.verifyAudit()).toMatchObject({ ok: true });
      }),
  );
}

const session = (subject: string, more: object = {}) =>
  sampleRecord({ model: SHARED_SESSION, subject, client: null, ...more });
const grantBy = (from: OpenidRecord, id = digestNamed(`grant ${from.id}`)) => ({
  from,
  begins: { model: 'Grant', id, expiresAt: START + 60_000 },
  client: 'desk',
  at: AT,
});

function followingTests(open: OpenStore): void {
  const store = useStore(open);

  test('S-144: a record that follows another one takes its place, and none that is not there', async () => {
    const [first, next, late] = [sampleRecord(), sampleRecord(), sampleRecord()];
    await store().putOpenid(first);
    expect(await store().followOpenid(next, { ...first, stays: false })).toBe(true);
    expect(await store().findOpenid(first)).toBeNull();
    expect(await store().findOpenid(next)).toEqual(foundOf(next));
    expect(await store().followOpenid(late, { ...first, stays: false })).toBe(false);
    expect(await store().findOpenid(late)).toBeNull();
  });

  test('S-144: it may stay, and a record may follow itself while it is there', async () => {
    const [first, next] = [sampleRecord(), sampleRecord()];
    await store().putOpenid(first);
    expect(await store().followOpenid(next, { ...first, stays: true })).toBe(true);
    expect(await store().findOpenid(first)).toEqual(foundOf(first));
    const anew = { ...next, body: 'anew' };
    expect(await store().followOpenid(anew, { ...next, stays: false })).toBe(true);
    expect(await store().findOpenid(next)).toEqual(foundOf(anew));
    await store().removeOpenid(next);
    expect(await store().followOpenid(anew, { ...next, stays: false })).toBe(false);
    expect(await store().findOpenid(next)).toBeNull();
  });

  test('S-144: of a removal and a write at once nothing is left, whichever comes first', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const [first, next] = [sampleRecord(), sampleRecord()];
      await store().putOpenid(first);
      const follow = (record: typeof next) => () =>
        store().followOpenid(record, { ...first, stays: false });
      const calls: (() => Promise<unknown>)[] = [
        follow(first),
        () => store().removeOpenid(first),
        follow(first),
      ];
      await Promise.all(calls.map((call) => call()));
      expect(await store().findOpenid(first)).toBeNull();
    }
  });

  test('S-142: a grant of a session is of its person and the client, and the log has it', () =>
    withStore(open, async (empty) => {
      const { user, subject } = await consumed(empty);
      const from = session(subject);
      await empty.putOpenid(from);
      const change = grantBy(from);
      expect(await empty.continueOpenid(change)).toBe(true);
      const of = { grant: change.begins.id, subject, client: 'desk' };
      expect(await empty.putOpenid(sampleRecord(of))).toBe(true);
      const [row] = (await rowsOf(empty)).slice(-1);
      const told = { at: AT, action: 'openid.session_used', userId: user.id, client: 'desk' };
      expect(row).toMatchObject(told);
      await empty.revokeAll(AT, { client: 'desk' });
      expect(await empty.putOpenid(sampleRecord(of))).toBe(false);
      expect(await empty.verifyAudit()).toMatchObject({ ok: true });
    }));

  test('S-142: there is none of a session that is not there, has expired or is of nobody', () =>
    withStore(open, async (empty) => {
      const { subject } = await consumed(empty);
      const rows = await rowsOf(empty);
      const late = session(subject, { expiresAt: AT });
      const nobody = session('nobody');
      for (const record of [late, nobody]) await empty.putOpenid(record);
      for (const from of [late, nobody, session(subject)]) {
        const change = grantBy(from);
        expect(await empty.continueOpenid(change)).toBe(false);
        expect(await empty.findOpenid(change.begins)).toBeNull();
      }
      expect(await rowsOf(empty)).toEqual(rows);
    }));

  test.each(Object.entries(ENDS).slice(0, -1))(
    'S-143: %s leaves neither a session nor a grant of it, whichever comes first',
    (_, end) =>
      withStore(open, async (own) => {
        for (let round = 0; round < ROUNDS; round += 1) {
          const signedIn = await consumed(own);
          const from = session(signedIn.subject);
          await own.putOpenid(from);
          const change = grantBy(from);
          const written = sampleRecord({ grant: change.begins.id, subject: signedIn.subject });
          const calls: (() => Promise<unknown>)[] = [
            () => own.continueOpenid(change),
            () => own.followOpenid(from, { ...from, stays: false }),
          ];
          const all = calls.toSpliced(round % 3, 0, () => end(own, signedIn));
          await Promise.all(all.map((call) => call()));
          expect(await own.findOpenid(from)).toBeNull();
          expect(await own.continueOpenid(change)).toBe(false);
          // A revocation of one client leaves what another one was given before it.
          const isOfOne = end === ENDS['a revocation of the client'];
          if (!isOfOne) expect(await own.putOpenid(written)).toBe(false);
        }
        expect(await own.verifyAudit()).toMatchObject({ ok: true });
      }),
  );
}

const told = (more: object) => sampleRecord({ model: TOLD_AT_END, expiresAt: START * 2, ...more });

/** A sign-in whose client is told of its end, and another one's. */
async function toldRecords(own: Store, { subject, grant, attempt: { client } }: SignedIn) {
  const [first, other] = [
    told({ subject, grant, client, body: 'first' }),
    told({ subject: 'another', client: 'other' }),
  ];
  for (const record of [first, other]) expect(await own.putOpenid(record)).toBe(true);
  return { first, other };
}

const LEASE = { at: AT, until: AT + 20, limit: 9 };

export function endedTests(open: OpenStore): void {
  test.each(Object.entries(ENDS).slice(0, -1))(
    'S-145: %s leaves what a client is to be told of, of no person and no grant',
    (name, end) =>
      withStore(open, async (own) => {
        const signedIn = await consumed(own);
        const { client } = signedIn.attempt;
        const { first } = await toldRecords(own, signedIn);
        const leased = (of: string) => own.leaseEnded({ ...LEASE, client: of });
        const due = () => own.clientsToTell([client, 'other', 'nobody'], AT);
        expect([await leased(client), await due()]).toEqual([[], []]);
        await end(own, signedIn);
        expect(await due()).toContain(client);
        expect(await due()).not.toContain('nobody');
        await own.removeOpenidGrant(signedIn.grant, AT);
        await own.revokeAll(AT, { userId: signedIn.user.id });
        const [ended, ...more] = await leased(client);
        expect([ended, more]).toMatchObject([{ endedAt: AT, body: first.body }, []]);
        expect(await leased('other')).toHaveLength(name === 'a revocation of all' ? 1 : 0);
        // Nothing makes it what it was.
        expect(await own.putOpenid(first)).toBe(false);
        await own.removeEnded(ended?.name ?? '');
        expect(await own.leaseEnded({ ...LEASE, client, at: AT + 21 })).toEqual([]);
      }),
  );

  test.each([null, 'shop'])('S-148: parts of what is of %s, up to the last whole one', (client) =>
    withStore(open, async (own) => {
      const shared = sampleRecord({ model: SHARED_SESSION, client: 'bank' });
      const ofShop = Array.from({ length: 4 }, () => sampleRecord({ client: 'shop' }));
      const ofBank = Array.from({ length: 3 }, () => sampleRecord({ client: 'bank' }));
      const toTell = [told({ client: 'shop', body: 'one' }), told({ client: 'shop', body: 'two' })];
      const kept = sampleRecord({ client: 'shop', expiresAt: null });
      const all = [shared, ...ofShop, ...ofBank, ...toTell, kept];
      for (const record of all) await own.putOpenid(record);
      const isThere = async (record: OpenidRecord) => (await own.findOpenid(record)) !== null;
      const countOf = async (records: readonly OpenidRecord[]) =>
        (await Promise.all(records.map(isThere))).filter(Boolean).length;
      const due = async () => own.leaseEnded({ ...LEASE, client: 'shop' });
      const ends = client === null ? 10 : 7;
      const names: string[] = [];
      for (let after: string | null = null; ; names.push(after)) {
        after = await own.endSomeOpenid({ client, after, limit: 3, at: AT });
        if (after === null) break;
      }
      expect(names).toEqual(names.toSorted());
      expect(names).toHaveLength(Math.floor(ends / 3));
      const ended = all.length - 3 - (await countOf([shared, ...ofShop, ...ofBank]));
      expect(ended + (await due()).length).toBe(names.length * 3);
      if (client !== null) expect(await countOf(ofBank)).toBe(3);
      await own.revokeAll(AT, client === null ? 'all' : { client });
      expect(await countOf([shared, ...ofShop])).toBe(0);
      expect(await isThere(kept)).toBe(true);
      // One that was killed between its parts has the first row alone.
      const rows = await own.readAudit({ after: 0, limit: 100 });
      const detail = client === null ? 'all' : 'client';
      expect(rows.filter(({ action }) => action === 'tokens.revoked_all')).toMatchObject([
        { at: AT, userId: null, client, detail: null, count: 0 },
        { at: AT, userId: null, client, detail, count: 0 },
      ]);
      expect(await own.verifyAudit()).toMatchObject({ ok: true });
    }),
  );

  test('S-145: one of many that ask at once has it until the lease ends, and later ones after that', () =>
    withStore(open, async (own) => {
      const signedIn = await consumed(own);
      const lease = { ...LEASE, client: signedIn.attempt.client };
      await toldRecords(own, signedIn);
      await own.disableUser(signedIn.user.id, AT);
      const all = await Promise.all(Array.from({ length: 6 }, () => own.leaseEnded(lease)));
      expect(all.flat()).toHaveLength(1);
      expect(await own.leaseEnded({ ...lease, at: AT + 19 })).toEqual([]);
      expect(await own.leaseEnded({ ...lease, at: AT + 20 })).toHaveLength(1);
    }));

  test('S-145: it waits when it is postponed, and ends by time', () =>
    withStore(open, async (own) => {
      const signedIn = await consumed(own);
      const { client } = signedIn.attempt;
      const { first } = await toldRecords(own, signedIn);
      await own.putOpenid({ ...first, id: 'second', body: 'second' });
      await own.revokeAll(AT, 'all');
      const lease = { ...LEASE, client };
      const [some] = await own.leaseEnded({ ...lease, until: AT, limit: 1 });
      const dueAt = async (at: number) =>
        (await own.leaseEnded({ ...lease, at, until: at })).length;
      await own.postponeEnded(some?.name ?? '', AT + 9);
      expect([await dueAt(AT), await dueAt(AT + 9)]).toEqual([1, 2]);
      expect([await dueAt(AT + TELLING_MS - 1), await dueAt(AT + TELLING_MS)]).toEqual([2, 0]);
    }));

  test('S-109: what is to be told after the new time is due then', () =>
    withStore(open, async (own) => {
      const signedIn = await consumed(own);
      const { client } = signedIn.attempt;
      await toldRecords(own, signedIn);
      await own.disableUser(signedIn.user.id, AT);
      await own.endOverdue({ from: AT, to: AT - 9 });
      const lease = { client, at: AT - 9, until: AT, limit: 9 };
      expect(await own.leaseEnded(lease)).toHaveLength(1);
    }));

  test('S-130: nothing of an ended grant is written, though a client is to be told of its person', () =>
    withStore(open, async (own) => {
      const signedIn = await consumed(own);
      const { subject, grant } = signedIn;
      const { first } = await toldRecords(own, signedIn);
      const given = sampleRecord({ subject, grant });
      expect(await own.putOpenid(given)).toBe(true);
      await own.removeOpenidGrant(grant, AT);
      expect(await own.putOpenid(given)).toBe(false);
      expect(await own.putOpenid(first)).toBe(false);
      expect(await own.findOpenid(given)).toBeNull();
    }));

  test('S-145: an end of the grant by the client or a logout tells nobody, and a later stop does, but no restore', () =>
    withStore(open, async (own) => {
      const signedIn = await consumed(own);
      const { client } = signedIn.attempt;
      await toldRecords(own, signedIn);
      await own.removeOpenidGrant(signedIn.grant, AT);
      expect(await own.leaseEnded({ ...LEASE, client })).toEqual([]);
      await own.disableUser(signedIn.user.id, AT);
      expect(await own.leaseEnded({ ...LEASE, client })).toHaveLength(1);
      await own.revokeAll(AT, { client: 'other' });
      const facts = { disabled: [], keptOut: [], lastUserId: 0, isContinued: false };
      await own.restore({ at: AT, ...facts });
      expect(await own.leaseEnded({ ...LEASE, client: 'other' })).toEqual([]);
    }));
}

export const ROUNDS = 8;

type SignedIn = Awaited<ReturnType<typeof consumed>>;

/** What ends the grants of somebody. */
export const ENDS: Readonly<Record<string, (store: Store, of: SignedIn) => Promise<unknown>>> = {
  'a revocation of all': (store) => store.revokeAll(AT, 'all'),
  'a revocation of the person': (store, { user }) => store.revokeAll(AT, { userId: user.id }),
  'a revocation of the client': (store, { attempt: { client } }) => store.revokeAll(AT, { client }),
  disabling: (store, { user }) => store.disableUser(user.id, AT),
  erasing: (store, { user }) =>
    store.eraseUser({ userId: user.id, at: AT, pushesOf: [], keepsOut: null }),
  'the end of the grant': (store, { grant }) => store.removeOpenidGrant(grant, AT),
};
