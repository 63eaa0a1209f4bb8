import type { PlantedBug } from '../support/planted-bug.ts';

const LOGIN = 'client/src/login.ts';
const APPLICATION = 'examples/web/app.mjs';
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
    name: 'a sign-in is started in the session that the browser came with',
    edits: [
      {
        file: APPLICATION,
        from: 'const id = randomUUID(); // Never',
        to: 'const id = session || randomUUID(); // Never',
      },
    ],
    test: { file: ATTACKS, name: PLANTED_ID },
  },
  {
    name: 'the session keeps its id after a sign-in',
    edits: [
      {
        file: APPLICATION,
        from: 'const id = randomUUID(); // So that',
        to: 'const id = session; // So that',
      },
    ],
    test: { file: ATTACKS, name: PLANTED_ID },
  },
  {
    name: 'a form is taken whichever page it is from',
    edits: [
      {
        file: 'examples/web/serve.mjs',
        from: 'headers.origin !== origin',
        to: 'headers.origin === undefined',
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
        file: 'examples/web/serve.mjs',
        from: 'return pipeline(Readable.fromWeb(bytes), response);',
        to: 'return void [Readable.fromWeb(bytes).pipe(response), pipeline];',
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
