import { expect, test } from 'vitest';
import type { Store } from '../../src/store/ports/store.port.ts';
import { digestNamed } from './samples.ts';
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

const ROUNDS = 8;

type SignedIn = Awaited<ReturnType<typeof consumed>>;

/** What ends the grants of somebody. */
const ENDS: Readonly<Record<string, (store: Store, of: SignedIn) => Promise<unknown>>> = {
  'a revocation of all': (store) => store.revokeAll(AT, 'all'),
  'a revocation of the person': (store, { user }) => store.revokeAll(AT, { userId: user.id }),
  'a revocation of the client': (store, { attempt: { client } }) => store.revokeAll(AT, { client }),
  disabling: (store, { user }) => store.disableUser(user.id, AT),
  erasing: (store, { user }) =>
    store.eraseUser({ userId: user.id, at: AT, pushesOf: [], keepsOut: null }),
  'the end of the grant': (store, { grant }) => store.removeOpenidGrant(grant, AT),
};
