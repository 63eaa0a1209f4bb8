import type { PlantedBug } from '../support/planted-bug.ts';

const ENDED = 'service/src/openid/sessions/back-channel-logout.ts';
const API = 'service/test/api/openid-told-of-ends.test.ts';

/** Of the clients that are told of what an operator has ended. */
export const OPENID_END_BUGS: readonly PlantedBug[] = [
  {
    name: 'openid: a client is not told that its person was disabled',
    edits: [
      {
        file: 'service/src/store/sql/stores/openid-ends.ts',
        from: 'step(sql.noteEndedOfUser, { ...values, at }),',
        to: '',
      },
    ],
    test: { file: API, name: 'a client is told that the person is disabled, once' },
  },
  {
    name: 'openid: a client that has not taken a logout token is not told again',
    edits: [
      {
        file: ENDED,
        from: 'await store.postponeEnded(name, until);',
        to: 'await store.removeEnded(name);',
      },
    ],
    test: {
      file: API,
      name: 'one that does not take it is told again, and the log has no token of it',
    },
  },
  {
    name: 'openid: a client that is away is called for all that waits for it',
    edits: [
      {
        file: 'service/src/values/pauses.ts',
        from: 'this.#pauses.set(host, { until: now + least, ms: least });',
        to: '',
      },
    ],
    test: {
      file: 'service/src/openid/sessions/back-channel-logout.test.ts',
      name: 'what is due > is told to others while one client takes nothing',
    },
  },
  {
    name: 'openid: the end of many sign-ins is one transaction',
    edits: [
      {
        file: 'service/src/account/revoke-all.flow.ts',
        from: "  if (scope === 'all' || 'client' in scope) await endOpenid(store, at, scope, pause);\n",
        to: '',
      },
    ],
    test: {
      file: 'service/src/account/revoke-all.flow.test.ts',
      name: 'ends what the OpenID Provider keeps in portions before, with a pause after each',
    },
  },
  {
    name: 'openid: a revocation in parts is in no audit log until its end',
    edits: [
      {
        file: 'service/src/store/sql/stores/openid-ends.ts',
        from: "audit: after === null ? [entry({ at, action: 'tokens.revoked_all', client, count: 0 })] : [],",
        to: 'audit: [],',
      },
    ],
    test: {
      file: 'service/test/store/conformance.test.ts',
      name: 'SQLite keeps the promises of the store port > OpenID ends > S-148: parts of what is of shop, up to the last whole one',
    },
  },
];
