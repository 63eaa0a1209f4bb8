import type { PlantedBug } from '../support/planted-bug.ts';

const FINISH_RETURN = 'service/src/flow/finish-return.ts';
const THREATS = 'service/test/threats/redirect.test.ts';

/** Whose browser it is, where it is sent, and when. */
export const BROWSER_BUGS: readonly PlantedBug[] = [
  {
    name: 'cookie not compared: any one passes',
    edits: [
      {
        file: FINISH_RETURN,
        from: 'return bound !== null && cookie !== null && sameDigest(bound, presented);',
        to: 'return bound !== null && cookie !== null;',
      },
    ],
    test: {
      file: THREATS,
      name: 'threat 5: login CSRF > refuses the value of another cookie',
    },
  },
  {
    name: 'cookie compared only after the exchange',
    edits: [
      {
        file: FINISH_RETURN,
        from: `if (!isSameBrowser(found, back)) throw await refuseStranger(tools, found, now);
  const { attemptId } = found.record;
  back.admit(attemptId);
  // A state can be exchanged once: the same browser twice at once must not be its own rival.
  return tools.turns.run(attemptId, () => finishInTurn(tools, back, now));`,
        to: `const { attemptId } = found.record;
  const returned = await tools.turns.run(attemptId, () => finishInTurn(tools, back, now));
  if (!isSameBrowser(found, back)) throw await refuseStranger(tools, found, now);
  return returned;`,
      },
    ],
    test: {
      file: THREATS,
      name: 'threat 5: login CSRF > refuses a right state in a browser without the cookie, and asks nobody',
    },
  },
  {
    name: 'a second browser takes the launch over',
    edits: [
      {
        file: 'service/src/flow/launch.ts',
        from: 'if (!bound) {',
        to: 'if (tools === null) {',
      },
    ],
    test: {
      file: THREATS,
      name: 'threat 4: a relayed authorization link > is launched in one browser only',
    },
  },
  {
    name: 'return without single flight',
    edits: [
      {
        file: 'service/src/flow/turns.ts',
        from: 'const own = (this.#last.get(key) ?? Promise.resolve()).then(work);',
        to: 'const own = work();',
      },
    ],
    test: {
      file: THREATS,
      name: 'the return of the browser > is exchanged once, however often it comes at once, and one code is good',
    },
  },
  {
    name: 'authorization_url from the Host header',
    edits: [
      {
        file: 'service/src/http/routes/start.ts',
        from: 'return { data: presentStarted(started, baseUrl(context)) };',
        to: `const { pathname } = new URL(baseUrl(context));
      return { data: presentStarted(started, \`http://\${request.headers.host}\${pathname}\`) };`,
      },
    ],
    test: {
      file: 'service/test/api/start.test.ts',
      name: 'POST /start by redirect > takes the origin of authorization_url from PUBLIC_URL, whatever the request says',
    },
  },
  {
    name: 'return address taken from the request when it begins right',
    edits: [
      {
        file: 'service/src/domain/client.ts',
        from: 'if (client.returnAddresses.includes(wanted)) return wanted;',
        to: 'if (client.returnAddresses.some((own) => wanted.startsWith(own))) return wanted;',
      },
    ],
    test: {
      file: 'service/test/threats/redirection.test.ts',
      name: 'threat 26: open redirects > as the return address: "https://bank.example.test/return/"',
    },
  },
  {
    name: 'a launch that another site has posted',
    edits: [
      {
        file: 'service/src/http/forms.ts',
        from: "if (!isOwn) throw new Refusal('request.cross_site');",
        to: '',
      },
    ],
    test: {
      file: THREATS,
      name: 'threat 5: login CSRF > refuses a launch that another site has posted',
    },
  },
  {
    name: 'completion without the person: the mode is asked after the look-up',
    edits: [
      {
        file: 'service/src/http/routes/live/provider-return.ts',
        from: `    onRequest: async ({ headers }) => {
      const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
      if (type !== 'application/x-www-form-urlencoded') throw new Refusal('simulator.disabled');
    },
    handler: async ({ body }, reply) => {`,
        to: `    handler: async ({ body, headers }, reply) => {
      const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
      if (type !== 'application/x-www-form-urlencoded') {
        const found = parseAttemptId(textMember(body, 'state'));
        if (found === null || (await context.tools.store.findAttempt(found)) === null) {
          throw new Refusal('attempt.not_found');
        }
        throw new Refusal('simulator.disabled');
      }`,
      },
      {
        file: 'service/src/http/routes/live/provider-return.ts',
        from: "import { Refusal } from '../../../domain/errors/refusal.ts';",
        to: `import { parseAttemptId } from '../../../domain/attempt-id.ts';
import { Refusal } from '../../../domain/errors/refusal.ts';`,
      },
    ],
    test: {
      file: 'service/test/threats/phone.test.ts',
      name: 'threat 2: completion by POST /callback > is refused in the same bytes before anything is looked at',
    },
  },
  {
    name: 'pages that others may frame',
    edits: [
      {
        file: 'pages/src/content-security-policy.ts',
        from: `"frame-ancestors 'none'",`,
        to: "'frame-ancestors *',",
      },
    ],
    test: {
      file: 'service/test/api/sign-in.test.ts',
      name: 'GET /callback?state= > lets its form go to itself and to the origin of the dashboard only',
    },
  },
];
