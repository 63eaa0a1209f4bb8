import type { PlantedBug } from '../support/planted-bug.ts';

const START = 'service/src/openid/ciba/start.flow.ts';
const POLL = 'service/src/openid/ciba/poll.flow.ts';
const PINGS = 'service/src/openid/ciba/ping.flow.ts';
const THREATS = 'service/test/threats/openid-ciba.test.ts';
const API = 'service/test/api/openid-ciba.test.ts';
const PING = 'service/test/api/openid-ping.test.ts';

/** Of sign-ins by CIBA. */
export const CIBA_BUGS: readonly PlantedBug[] = [
  {
    name: 'openid: a client that the operator removes while it polls gets tokens',
    edits: [
      {
        file: 'service/src/openid/claims.ts',
        from: "  if (client === null) throw new InvalidClientAuth('the client was removed meanwhile');\n",
        to: '',
      },
      {
        file: 'service/src/openid/claims.ts',
        from: 'const scopes = client.openid?.scopes ?? [];',
        to: 'const scopes = client?.openid?.scopes ?? [];',
      },
    ],
    test: {
      file: 'service/test/threats/openid-moments.test.ts',
      name: 'a client that the operator removes while it polls is told so',
    },
  },
  {
    name: 'openid: a client is called before the push has ended',
    edits: [
      {
        file: PINGS,
        from: '    await ping(context, pinged);\n',
        to: '',
      },
      {
        file: PINGS,
        from: '    const first: AttemptStatus',
        to: '    await ping(context, pinged);\n    const first: AttemptStatus',
      },
    ],
    test: { file: PING, name: 'a client is told once that the person > has decided: refuse' },
  },
  {
    name: 'openid: a second poll of a push that has ended takes the tokens back',
    edits: [
      {
        file: POLL,
        from: 'const own = { ...bound, consumeGrantSource };',
        to: 'const own = { consumeGrantSource, ...bound };',
      },
    ],
    test: {
      file: THREATS,
      name: 'threat 129: the tokens of a push > asked for ten times at once are given once, and stay good',
    },
  },
  {
    name: 'openid: a push may be asked about without a pause',
    edits: [
      {
        file: POLL,
        from: '  if (counted.allowed) return;',
        to: '  if (counted.allowed || policy.quota > 0) return;',
      },
    ],
    test: {
      file: THREATS,
      name: 'threat 129: the tokens of a push > are asked for no more often than the answer says',
    },
  },
  {
    name: 'openid: a push gives a level that was insisted on, and was not reached',
    edits: [
      {
        file: POLL,
        from: 'if (missesWishes(claims,',
        to: 'if (request.isExpired && missesWishes(claims,',
      },
    ],
    test: {
      file: API,
      name: 'a push by CIBA > that can not be by an essential level that was insisted on is access_denied',
    },
  },
  {
    name: 'openid: the number of a push is of the client',
    edits: [
      {
        file: START,
        from: '      if (message === undefined) return;',
        to: '      if (message !== "") return;',
      },
    ],
    test: {
      file: API,
      name: 'a request that can’t be taken > is invalid_binding_message, which says makes the number',
    },
  },
  {
    name: 'openid: a poll of a push waits for the polls before it, also while nobody has decided',
    edits: [
      {
        file: POLL,
        from: '      if (await orUnavailable(isTooEarly',
        to: '      if (kept.request.isExpired && await orUnavailable(isTooEarly',
      },
    ],
    test: {
      file: API,
      name: 'in the store > a poll before the decision reads the request and its attempt once, and writes nothing',
    },
  },
];
