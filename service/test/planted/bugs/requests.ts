import type { PlantedBug } from '../support/planted-bug.ts';

const CHECK_HOST = 'service/src/request/request-head.ts';
const ROUTES_TEST = 'service/test/api/routes.test.ts';
const BEARER_TEST = 'service/test/api/bearer.test.ts';

/** Bugs in the checks of requests, and in answers. */
export const REQUEST_BUGS: readonly PlantedBug[] = [
  {
    name: 'a string with NUL in a body',
    edits: [
      {
        file: 'service/src/request/body/validation.ts',
        from: 'requireText(text, body);',
        to: "if (text.includes('device')) requireText(text, body);",
      },
    ],
    test: {
      file: 'service/test/api/texts.test.ts',
      name: 'a string that is no text > is refused: /start, return_address',
    },
  },
  {
    name: 'of two Host headers the first one counts',
    edits: [
      {
        file: CHECK_HOST,
        from: 'return hosts > 1;',
        to: 'return hosts > 2;',
      },
    ],
    test: {
      file: ROUTES_TEST,
      name: 'an answer to what is no HTTP request > has the whole form of an error: two Hosts',
    },
  },
  {
    name: 'the host that a target names is not looked at',
    edits: [
      {
        file: CHECK_HOST,
        from: '(authority === null || isAllowedHost(context, authority))',
        to: "authority !== ''",
      },
    ],
    test: {
      file: ROUTES_TEST,
      name: 'an answer to what is no HTTP request > has the whole form of an error: a target of another host',
    },
  },
  {
    name: 'a token in the address beside one in the header',
    edits: [
      {
        file: 'service/src/request/caller/caller.ts',
        from: "if (isThere) throw new Refusal('token.in_address');",
        to: "if (isThere && request.headers.authorization === undefined) throw new Refusal('token.in_address');",
      },
      {
        file: 'service/src/request/caller/caller.ts',
        from: 'function refuseTokenInAddress({ query }: FastifyRequest): void {',
        to: 'function refuseTokenInAddress(request: FastifyRequest): void {\n  const { query } = request;',
      },
    ],
    test: {
      file: BEARER_TEST,
      name: 'the Authorization header > and access_token in the address exclude each other',
    },
  },
  {
    name: 'the list of devices without a limit',
    edits: [
      {
        file: 'service/src/account/list-tokens.route.ts',
        from: 'const { limit = MOST_DEVICES, after',
        to: 'const { limit = MOST_DEVICES * 100, after',
      },
    ],
    test: { file: BEARER_TEST, name: 'GET /tokens > comes in pages, a hundred devices at most' },
  },
  {
    name: 'the preflight of a foreign page is told of no method',
    edits: [
      {
        file: 'service/src/request/unknown-route.ts',
        from: "if (isForeignPreflight(context, request)) throw new Refusal('origin.refused');",
        to: "if (isForeignPreflight(context, request)) throw new Refusal('request.method_not_allowed');",
      },
    ],
    test: {
      file: ROUTES_TEST,
      name: 'pages of other origins > are told by a preflight that they are not listed, and what helps',
    },
  },
  {
    name: 'an answer about one sign-in tells the way of the last one',
    edits: [
      {
        file: 'service/src/account/user.ts',
        from: 'return { ...user, lastAuthMethod: flow };',
        to: 'return flow === user.lastAuthMethod ? user : { ...user };',
      },
    ],
    test: {
      file: 'service/test/api/people.test.ts',
      name: 'the fixed person > is told in a token with the way of its own login, whichever was the last one',
    },
  },
  {
    name: 'a return address keeps the error of an earlier sign-in',
    edits: [
      {
        file: 'service/src/request/answer/return-address.ts',
        from: "['attempt_id', 'completion_code', 'error']",
        to: "['attempt_id', 'completion_code']",
      },
    ],
    test: {
      file: 'service/src/request/answer/return-address.test.ts',
      name: 'keeps nothing of these names that was in the address before, in its query',
    },
  },
  {
    name: 'a launch is counted before its attempt is looked up',
    edits: [
      {
        file: 'service/src/attempt/browser/launch.flow.ts',
        from: `  const launchable = await openLaunch(services, press.attemptId, now);
  await press.admit();`,
        to: `  await press.admit();
  const launchable = await openLaunch(services, press.attemptId, now);`,
      },
    ],
    test: {
      file: 'service/test/threats/launch.test.ts',
      name: 'threat 61: a press for an attempt that is not there is not counted under its invented id',
    },
  },
  {
    name: 'the log has the names of members that a caller has made up',
    edits: [
      {
        file: 'service/src/request/answer/reply-error.ts',
        from: "new Set(['unknown', 'text'])",
        to: "new Set(['text'])",
      },
    ],
    test: {
      file: 'service/test/api/errors.test.ts',
      name: 'the line of a refused request in the log > names the error and the members of ours that are wrong, and nothing that was sent',
    },
  },
];
