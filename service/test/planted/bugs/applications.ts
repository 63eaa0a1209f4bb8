import type { PlantedBug } from '../support/planted-bug.ts';

const LOGIN = 'client/src/login.ts';
const COOKIE = 'client/src/sign-in/cookie.ts';
const ATTACKS = 'service/test/threats/back-end-logins.test.ts';
const PLANTED_ID =
  'the sessions of an application > threats 4 and 5: a planted session id is worth nothing, and neither is an old one';

/** Bugs in how an application signs people in: in the client, and in what is copied from examples. */
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
    test: {
      file: ATTACKS,
      name: 'createLogin in simulator mode > threat 5: a login that was given away is dropped, and stays its owner’s',
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
    return this.#ended(sessionId, await attempt.status());`,
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
    name: 'whoever has the cookie of a sign-in gets its token a second time',
    edits: [
      {
        file: COOKIE,
        from: '{ ...membersOf(attempt), key: randomKey() }',
        to: "{ ...membersOf(attempt), key: randomKey().replaceAll(/./g, '0') }",
      },
    ],
    test: { file: ATTACKS, name: PLANTED_ID },
  },
  {
    name: 'a form is taken whichever page it is from',
    edits: [
      {
        file: 'client/src/sign-in/steps.ts',
        from: "call.header('origin') !== this.#app.origin",
        to: "call.header('origin') === undefined",
      },
    ],
    test: {
      file: ATTACKS,
      name: 'the sessions of an application > threat 5: a form of another port starts, finishes and ends nothing',
    },
  },
  {
    name: 'the stream of events stays open when its page is gone',
    edits: [
      {
        file: 'client/src/sign-in/express.ts',
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
    name: 'a return address that is listed no longer',
    edits: [
      {
        file: 'service/src/flow/browser/return-target.ts',
        from: 'const address = namedReturnAddress(client, returnAddress);',
        to: 'const address = namedReturnAddress(client, returnAddress) ?? returnAddress;',
      },
    ],
    test: {
      file: 'service/test/threats/unlisted-return.test.ts',
      name: 'threat 101: a return address that was taken out of the clients file > between launch and return: no code, and the provider is not asked',
    },
  },
];
