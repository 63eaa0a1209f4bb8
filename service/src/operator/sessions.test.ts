import { expect, it } from 'vitest';
import { textOfActor } from '../audit/act.ts';
import { createRandom } from '../platform/runtime.ts';
import { createMemoryStore } from '../store/index.ts';
import { actorOf, makeLink, readSession, redeemLink } from './sessions.ts';

const NOW = 1_800_000_000_000;
const random = createRandom();
const maker = textOfActor({
  kind: 'command',
  account: { uid: 1000, name: null },
  login: null,
});

it.each(['before', 'after'])(
  'what ends all sessions while a link is redeemed ends its session: %s its use',
  async (when) => {
    const store = createMemoryStore();
    const link = await makeLink({ store, random }, { role: 'admin', maker }, NOW);
    const endAll = () => store.revokeAll(NOW, 'all');
    const meanwhile = {
      ...store,
      async consumeOpenid(...given: Parameters<typeof store.consumeOpenid>) {
        if (when === 'before') await endAll();
        const isFirst = await store.consumeOpenid(...given);
        if (when === 'after') await endAll();
        return isFirst;
      },
    };
    const session = await redeemLink({ store: meanwhile, random }, link.reveal(), NOW);
    expect(session === null).toBe(when === 'before');
    const found = session === null ? null : await readSession(store, session.reveal(), NOW);
    expect(found).toBeNull();
    const events = await store.readAudit({ after: 0, limit: 10 });
    const signedIn = events.filter(({ action }) => action === 'operator.signed_in');
    expect(signedIn).toHaveLength(when === 'before' ? 0 : 1);
  },
);

it.each(['', 'link of uid:0', '\u202Eamal', '\0', 'x'.repeat(256), '1000001101', ' 1000001101 '])(
  'nobody is called %j in the audit log',
  (subject) => {
    const proven = { issuer: 'https://id.example', subject, claim: null, groups: [] };
    expect(() => actorOf(proven)).toThrow('NO_SUBJECT');
    expect(actorOf({ ...proven, subject: 'amal' })).toBe('operator:amal');
  },
);
