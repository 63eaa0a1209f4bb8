import type { PlantedBug } from '../support/planted-bug.ts';

const SSO = 'service/src/openid/sessions/single-sign-on.ts';
const SESSIONS = 'service/src/openid/sessions/sessions.ts';
const OF_REQUEST = 'service/src/openid/sessions/session-of-request.ts';
const IN_TURN = 'service/src/openid/sessions/in-turn.ts';
const RECORDS = 'service/src/openid/records.ts';
const STATEMENTS = 'service/src/store/sqlite/statements.generated.ts';
const API = 'service/test/api/openid-single-sign-on.test.ts';
const THREATS = 'service/test/threats/openid-single-sign-on.test.ts';
const ENDS = 'service/test/threats/openid-session-ends.test.ts';

const HIDDEN = 'threat 141: a request that another site makes without the person seeing it';
const FORCED = 'threat 141: a sign-in that is forced on somebody';
const STOLEN = 'threat 142: the cookie of a session, stolen or set by somebody else,';
const GIVEN = 'threat 142: what a session gave, by its own or a copied cookie,';
const STOPPED = 'threat 143: the session of a person who was stopped';
const MOMENT = 'threat 143: a command in the very moment of an answer';

/** Of single sign-on. */
export const SSO_BUGS: readonly PlantedBug[] = [
  {
    name: 'openid: a session answers the frame of another site',
    edits: [
      {
        file: SSO,
        from: "return destination === 'document';",
        to: "return destination !== '';",
      },
    ],
    test: { file: THREATS, name: `${HIDDEN} > is not answered as a part of a page: iframe` },
  },
  {
    name: 'openid: a session is begun by a sign-in that its client has not taken',
    edits: [
      {
        file: SESSIONS,
        from: "if (kind === 'shared' && begunFor === undefined) return null;",
        to: "if (kind === 'shared' && begunFor === '') return null;",
      },
      {
        file: SSO,
        from: "kindOf(services.clients, session.begunFor ?? '') === 'shared' &&",
        to: "kindOf(services.clients, session.begunFor ?? 'shop') === 'shared' &&",
      },
    ],
    test: {
      file: THREATS,
      name: `${FORCED} > that its client does not take, because it is of somebody else, begins none`,
    },
  },
  {
    name: 'openid: a session of before is good beside the one that a sign-in has begun',
    edits: [
      {
        file: RECORDS,
        from: "id: textIn(follows, 'kept') ?? '', stays: false };",
        to: "id: textIn(follows, 'kept') ?? '', stays: true };",
      },
    ],
    test: { file: THREATS, name: `${STOLEN} > is good for nothing after the next sign-in` },
  },
  {
    name: 'openid: the session of one person becomes that of the next one',
    edits: [
      {
        file: SSO,
        from: 'if (accountId === session.accountId && isOneScope(session, asking)) return true;',
        to: "if (accountId !== '' && isOneScope(session, asking)) return true;",
      },
    ],
    test: {
      file: API,
      name: 'a sign-in beside a session > of somebody else is theirs, and ends what the person before them was given',
    },
  },
  {
    name: 'openid: a revocation of a client leaves the sessions that it shares',
    edits: [
      {
        file: STATEMENTS,
        from: "'SharedSession')`,",
        to: "'NoSession')`,",
      },
    ],
    test: {
      file: THREATS,
      name: `${STOPPED} > answers nobody after revoke --client of the next one`,
    },
  },
  {
    name: 'openid: a request beside a logout writes its session anew',
    edits: [
      {
        file: RECORDS,
        from: 'store.followOpenid(record, followed)',
        to: 'store.followOpenid(record, followed).then((is) => is || store.putOpenid(record))',
      },
    ],
    test: {
      file: 'service/test/threats/openid-logout.test.ts',
      name: 'threat 128: a page of a logout that is asked for beside its button does not undo the logout',
    },
  },
  {
    name: 'openid: a revocation in the moment of an answer leaves a session',
    edits: [
      {
        file: RECORDS,
        from: 'hold({ follow: record, followed }, null);\n    return orUnavailable(makeHeld(store));',
        to: 'return orUnavailable(makeHeld(store).finally(() => store.putOpenid(record)));',
      },
    ],
    test: {
      file: THREATS,
      name: `${MOMENT} > as the session is written with what it gives leaves neither a token nor the session`,
    },
  },
  {
    name: 'openid: a session answers after the client that has begun it is gone',
    edits: [
      {
        file: SSO,
        from: "kindOf(services.clients, session.begunFor ?? '') === 'shared' &&",
        to: "session.begunFor !== '' &&",
      },
    ],
    test: {
      file: THREATS,
      name: `${STOPPED} > that a client has begun which is without sso answers nobody`,
    },
  },
  {
    name: 'openid: a session answers a client without sso',
    edits: [
      {
        file: SESSIONS,
        from: "?.openid?.singleSignOn === true ? 'shared' : 'own'",
        to: "?.openid?.singleSignOn !== undefined ? 'shared' : 'own'",
      },
    ],
    test: {
      file: API,
      name: 'a client without sso > takes none, and leaves that of others as it is',
    },
  },
  {
    name: 'openid: a session of one scope of a simulation answers in another one',
    edits: [
      {
        file: SSO,
        from: 'return scopeOf(clientInScope(begunFor)) === scopeOf(clientInScope(asking));',
        to: "return scopeOf(clientInScope(begunFor)) !== '' || asking === '';",
      },
    ],
    test: { file: THREATS, name: `${STOPPED} > is not that of another scope of the simulation` },
  },
  {
    name: 'openid: lasting access is given without the person',
    edits: [
      {
        file: SSO,
        from: "if (prompts.has('consent') || prompts.has('select_account')) return true;",
        to: "if (prompts.has('select_account')) return true;",
      },
    ],
    test: {
      file: API,
      name: 'in a browser in which somebody has signed in > lasting access asks anew',
    },
  },
  {
    name: 'openid: a session does for the person whose number is hinted',
    edits: [
      { file: SSO, from: 'if (personOf(params) !== null) return true;', to: 'personOf(params);' },
    ],
    test: {
      file: API,
      name: 'in a browser in which somebody has signed in > a number as login_hint asks anew',
    },
  },
  {
    name: 'openid: a session does for a higher level than it has',
    edits: [
      {
        file: SSO,
        from: 'wanted.every((level) => level > own)',
        to: 'wanted.every((level) => level > own + 9)',
      },
    ],
    test: {
      file: API,
      name: 'in a browser in which somebody has signed in > a higher level asks anew',
    },
  },
  {
    name: 'openid: a session does for max_age=0',
    edits: [{ file: SESSIONS, from: 'return Number(age) === 0 || passed', to: 'return passed' }],
    test: {
      file: 'service/src/openid/sessions/sessions.test.ts',
      name: 'max_age=0 asks in the very second of a sign-in too, and others when they have passed',
    },
  },
  {
    name: 'openid: each use of a session prolongs it',
    edits: [
      {
        file: SESSIONS,
        from: 'const leftMs = loginTs * SECOND_MS + Math.min(SHARED_MS, longestMs) - clock.now();',
        to: 'const leftMs = loginTs * 0 + Math.min(SHARED_MS, longestMs) - clock.now() * 0;',
      },
    ],
    test: {
      file: API,
      name: 'lasts a working day from the sign-in on, or as long as an API token, and no use prolongs it',
    },
  },
  {
    name: 'openid: of requests of a session at once one forgets what another was given',
    edits: [
      {
        file: IN_TURN,
        from: 'if (session === null) return answer();',
        to: "if (session === null || session !== '') return answer();",
      },
    ],
    test: {
      file: API,
      name: 'requests of several clients at once are all answered, and all end with the session',
    },
  },
  {
    name: 'openid: any application of the device may get a code without the person',
    edits: [
      {
        file: 'service/src/platform/files/clients-file.ts',
        from: "if (singleSignOn && type === 'public' && redirectUris.some(isOfDevice)) {",
        to: "if (singleSignOn && type === 'public' && redirectUris.every(isOfDevice)) {",
      },
    ],
    test: {
      file: 'service/src/platform/files/clients-file.test.ts',
      name: 'the clients file > refuses single sign-on of a public client at an address of the device',
    },
  },
  {
    name: 'openid: a device is known by one spelling of its address',
    edits: [
      {
        file: 'service/src/attempt/browser/return-address.ts',
        from: '|127\\..+|',
        to: '|127\\.0\\.0\\.1|',
      },
    ],
    test: {
      file: 'service/src/platform/files/clients-file.test.ts',
      name: 'the clients file > refuses single sign-on of a public client at an address of the device',
    },
  },
  {
    name: 'openid: the oldest grants of a session outlive its logout',
    edits: [
      {
        file: SESSIONS,
        from: 'await endGrant(services.store, grantId, clock);',
        to: "if (grantId === '') await endGrant(services.store, grantId, clock);",
      },
    ],
    test: { file: ENDS, name: `${GIVEN} > ends with it, however many answers it gave` },
  },
  {
    name: 'openid: a session forgets what a client had before the next sign-in',
    edits: [
      {
        file: SESSIONS,
        from: 'before !== undefined && before !== grantId) {',
        to: 'before !== undefined && before === grantId) {',
      },
    ],
    test: {
      file: ENDS,
      name: `${GIVEN} > ends with it where the same person has signed in for the client again`,
    },
  },
  {
    name: 'openid: a session remembers grants that are over',
    edits: [{ file: SESSIONS, from: 'until > now);', to: 'until > 0 * now);' }],
    test: { file: ENDS, name: `${GIVEN} > is remembered for as long as it is good` },
  },
  {
    name: 'openid: another spelling of the cookie is not held up by the lock of the session',
    edits: [
      {
        file: OF_REQUEST,
        from: 'kind), { signed: false }) ?? null;',
        to: "kind), { signed: false }) === undefined ? null : (request.headers.cookie ?? '');",
      },
    ],
    test: { file: ENDS, name: `${GIVEN} > ends with it although the cookie came in quotes` },
  },
  {
    name: 'openid: a logout that does not fit into the session leaves it',
    edits: [
      {
        file: 'service/src/openid/logout.ts',
        from: 'const ends = session.isFull === true ? [] : Object',
        to: 'const ends = session.isFull === false ? [] : Object',
      },
    ],
    test: {
      file: ENDS,
      name: `${GIVEN} > ends by a logout that has no place in a session of many clients`,
    },
  },
  {
    name: 'openid: a session answers a page that is loaded ahead',
    edits: [
      {
        file: SSO,
        from: "if (purpose.startsWith('prefetch')) return false;",
        to: "if (purpose === 'prefetch') return false;",
      },
    ],
    test: { file: THREATS, name: `${HIDDEN} > is not answered ahead: prefetch;prerender` },
  },
  {
    name: 'openid: what is asked for beside a session is of the time line of that',
    edits: [
      {
        file: 'service/src/openid/face.ts',
        from: '...(isAnew ? [] : [session])',
        to: '...(isAnew ? [session] : [session])',
      },
    ],
    test: {
      file: 'service/test/api/openid-time-lines.test.ts',
      name: 'the time line of a sign-in by OpenID > has what a client was answered of its session, and not what was asked anew beside that',
    },
  },
  {
    name: 'openid: the log says that a session was used by a request that is too long',
    edits: [{ file: SSO, from: 'requireShort(oidc.params);', to: '' }],
    test: {
      file: API,
      name: 'a request that is too long is refused before the log says that a session was used',
    },
  },
  {
    name: 'openid: a client whose sso was taken out can not end the session of its person',
    edits: [
      {
        file: OF_REQUEST,
        from: "(await hasPart(context, asked, 'shared', client)) ? 'shared' : 'own';",
        to: "(await hasPart(context, asked, 'own', client)) ? 'shared' : 'own';",
      },
    ],
    test: {
      file: API,
      name: 'a logout of a client whose sso was taken out ends the session in which it has a part',
    },
  },
  {
    name: 'openid: a session ends a grant whose code is on its way',
    edits: [{ file: SSO, from: 'if (hasNoPlace(session, clientId, at)) {', to: 'if (at < 0) {' }],
    test: {
      file: API,
      name: 'more tabs than a session remembers get no code that another one ends',
    },
  },
  {
    name: 'openid: half a form holds up the requests of a session',
    edits: [
      {
        file: IN_TURN,
        from: '!(await hasCome(request.raw))',
        to: 'request.raw.destroyed',
      },
    ],
    test: {
      file: ENDS,
      name: 'threat 142: a form of a logout that is sent in part > holds up no request of that session, and is answered when it has come',
    },
  },
];
