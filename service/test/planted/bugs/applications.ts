import type { PlantedBug } from '../support/planted-bug.ts';

const LOGIN = 'client/src/login.ts';
const COOKIE = 'client/src/sign-in/cookie.ts';
const ATTACKS = 'service/test/threats/back-end-logins.test.ts';
const RETURN_ADDRESS = 'service/src/attempt/browser/return-address.ts';
const NATIVE = 'service/test/threats/native-returns.test.ts';
const HOSTILE = 'threat 112: an address that would run or read something';
const AT_START =
  'in the clients file keeps the service from starting, and each is named by its client';
const PLANTED_ID =
  'the sessions of an application > threats 4 and 5: a planted session id is worth nothing, and neither is an old one';

/** Bugs in how an application signs people in: in the client, in examples, and on the way back. */
export const APPLICATION_BUGS: readonly PlantedBug[] = [
  {
    name: 'a return is taken whichever attempt it names',
    edits: [
      {
        file: LOGIN,
        from: "if (members.get('attempt_id') !== attempt.id) return",
        to: "if (members.get('attempt_id') === '') return",
      },
    ],
    // The middleware has a cookie for each attempt, and never asks about that of another.
    test: {
      file: 'service/test/client/login.test.ts',
      name: 'C-15 a login at a back end in simulator mode > drops a login that somebody gives away: the return of another session',
    },
  },
  {
    name: 'a sign-in by browser is finished without the code where the service does not ask for it',
    edits: [
      {
        file: LOGIN,
        from: `    if (completionCode !== null) {
      return this.#exchange(sessionId, attempt, { ...issue, completionCode });
    }
    return this.#ended(sessionId, attempt, await attempt.status());`,
        to: `    const code = completionCode === null ? {} : { completionCode };
    return this.#exchange(sessionId, attempt, { ...issue, ...code });`,
      },
    ],
    test: {
      file: ATTACKS,
      name: 'createLogin in simulator mode > threat 4: a link that was passed on signs in nobody, whoever comes back',
    },
  },
  {
    name: 'one session for everybody who has none',
    edits: [
      {
        file: LOGIN,
        from: "if (typeof sessionId !== 'string' || !sessionId) {",
        to: 'if (sessionId === null) {',
      },
    ],
    test: {
      file: 'service/test/client/failures.test.ts',
      name: 'C-14 a value that no call can use is a TypeError > no id of a session, which would be one session for everybody: login.attempt',
    },
  },
  {
    name: 'the finish of one tab deletes what another tab has started',
    edits: [
      {
        file: LOGIN,
        from: 'if ((await this.attempt(sessionId))?.id === id) await this',
        to: 'if (id !== sessionId) await this',
      },
    ],
    test: {
      file: 'service/test/client/login.test.ts',
      name: 'C-15 a login at a back end in simulator mode > leaves what another tab has started while it finished: approve',
    },
  },
  {
    name: 'a cancel for a visitor does not say where the visitor is',
    edits: [
      {
        file: 'client/src/sign-in/steps.ts',
        from: 'await attempt?.cancel({ endUserAddress: call.address })',
        to: 'await attempt?.cancel()',
      },
    ],
    test: {
      file: 'service/test/client/frameworks.test.ts',
      name: 'C-28 the sign-in of Express > cancel ends what was begun, whoever has its cookie',
    },
  },
  {
    name: 'whoever has the cookie of a sign-in gets its token a second time',
    edits: [
      {
        file: COOKIE,
        from: '{ ...membersOf(kept.attempt), key: randomKey() }',
        to: "{ ...membersOf(kept.attempt), key: randomKey().slice(0, 0) + '0'.repeat(64) }",
      },
    ],
    test: { file: ATTACKS, name: PLANTED_ID },
  },
  {
    name: 'a form is taken whichever page it is from',
    edits: [
      {
        file: 'client/src/sign-in/steps.ts',
        from: 'origin !== this.#app.origin',
        to: 'origin === undefined',
      },
    ],
    test: {
      file: ATTACKS,
      name: 'the sessions of an application > threat 5: a form of another port starts, finishes and ends nothing',
    },
  },
  {
    name: 'a page ends the sign-in that another tab has begun',
    edits: [
      {
        file: 'client/src/sign-in/steps.ts',
        from: "members.get('attempt');",
        to: "members.get('');",
      },
    ],
    test: {
      file: 'service/test/threats/two-sign-ins.test.ts',
      name: 'threat 117: two tabs of a browser > by phone each are told of, finish and end their own sign-in alone',
    },
  },
  {
    name: 'a sign-in takes the place of the one of another tab',
    edits: [{ file: COOKIE, from: 'slice(MOST_BEGUN - 1)', to: 'slice(0)' }],
    test: {
      file: 'service/test/threats/two-sign-ins.test.ts',
      name: 'threat 117: two tabs of a browser > are three at most: the oldest is dropped, and the cookies stay small',
    },
  },
  {
    name: 'the stream of events stays open when its page is gone',
    edits: [
      {
        file: 'client/src/sign-in/node.ts',
        from: 'reader?.cancel().catch(() => undefined);',
        to: 'reader?.closed.catch(() => undefined);',
      },
    ],
    test: {
      file: 'service/test/e2e/web-example.test.ts',
      name: 'what waits in simulator mode > ends with its page',
    },
  },
  {
    name: 'a ticket for Auth.js stays good after its sign-in',
    edits: [
      {
        file: 'client/src/sign-in/auth-js.ts',
        from: 'tickets.delete(ticket);',
        to: 'tickets.get(ticket);',
      },
    ],
    test: {
      file: 'service/test/client/auth-js.test.ts',
      name: 'a ticket is good for the sign-in that it was made for, and for nothing afterwards',
    },
  },
  {
    name: 'Passport takes a wrong key for a mistake of the person',
    edits: [
      {
        file: 'client/src/sign-in/passport.ts',
        from: 'status >= 500 || status === 401',
        to: 'status >= 500',
      },
    ],
    test: {
      file: 'client/src/sign-in/passport.test.ts',
      name: 'Passport is told of a wrong key as of an error',
    },
  },
  {
    name: 'a return address that is listed no longer',
    edits: [
      {
        file: 'service/src/attempt/browser/return-target.flow.ts',
        from: 'const address = namedReturnAddress(client, returnAddress);',
        to: 'const address = namedReturnAddress(client, returnAddress) ?? returnAddress;',
      },
    ],
    test: {
      file: 'service/test/threats/unlisted-return.test.ts',
      name: 'threat 101: a return address that was taken out of the clients file > between launch and return: no code, and the provider is not asked',
    },
  },
  {
    name: 'an application may come back by a scheme without a dot',
    edits: [
      {
        file: RETURN_ADDRESS,
        from: '(?:\\.[a-z0-9-]{1,63}){1,8}',
        to: '(?:\\.[a-z0-9-]{1,63}){0,8}',
      },
    ],
    test: { file: NATIVE, name: `${HOSTILE} > ${AT_START}` },
  },
  {
    name: 'a client with a back end may have a scheme',
    edits: [
      {
        file: RETURN_ADDRESS,
        from: "(type === 'public' && isPrivateUseAddress(text))",
        to: 'isPrivateUseAddress(text)',
      },
    ],
    test: {
      file: NATIVE,
      name: `${HOSTILE} > is for no client with a back end, in the file and in a start`,
    },
  },
  {
    name: 'the host of a loopback address is read by the URL parser',
    edits: [
      {
        file: RETURN_ADDRESS,
        from: 'return LOOPBACK.test(text) ||',
        to: "return ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname) ||",
      },
    ],
    test: { file: NATIVE, name: `${HOSTILE} > ${AT_START}` },
  },
  {
    name: 'more than the port of a loopback address may differ',
    edits: [
      {
        file: RETURN_ADDRESS,
        from: 'return ours !== null && ours === theirs;',
        to: 'return ours !== null && theirs !== null;',
      },
    ],
    test: {
      file: NATIVE,
      name: 'threat 112: a port of the device > is all that may differ, at an IP literal of the device: http://127.0.0.1:51004/other?from=miftah',
    },
  },
  {
    name: 'an application is opened without a press',
    edits: [
      {
        file: 'service/src/request/answer/send-page.ts',
        from: "  reply.header('location', address);",
        to: "  reply.header('location', address).header('refresh', `0;url=${address}`);",
      },
    ],
    test: {
      file: NATIVE,
      name: 'threat 112: in Chromium > the application is opened by a press of the person, and by nothing else',
    },
  },
];
