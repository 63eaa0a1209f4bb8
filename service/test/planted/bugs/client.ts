import type { PlantedBug } from '../support/planted-bug.ts';

const FOLLOW = 'client/src/follow.ts';
const WAIT_TEST = 'service/test/client/wait.test.ts';
const PROMISES_TEST = 'service/test/client/promises.test.ts';

/** Bugs in what the client of applications guards. */
export const CLIENT_BUGS: readonly PlantedBug[] = [
  {
    name: 'a client that tries a stream again that a proxy keeps back',
    edits: [
      {
        file: FOLLOW,
        from: "if (code === 'client.timeout' || code === 'stream.limit_reached') return true;",
        to: "if (code === 'stream.limit_reached') return true;",
      },
    ],
    test: {
      file: WAIT_TEST,
      name: 'a wait > C-8 goes on by long poll behind a proxy that buffers',
    },
  },
  {
    name: 'a client that comes back before Retry-After',
    edits: [
      {
        file: 'client/src/platform.ts',
        from: ': retryAfter * 1000 + spread(SPREAD_MS);',
        to: ': retryAfter * 100 + spread(SPREAD_MS);',
      },
    ],
    test: { file: WAIT_TEST, name: 'a wait > C-10 waits as long as Retry-After says' },
  },
  {
    name: 'an exchange that goes on when the service has forgotten it',
    edits: [
      {
        file: 'client/src/attempt.ts',
        from: 'const ISSUE_LIMIT_MS = 50_000;',
        to: 'const ISSUE_LIMIT_MS = 80_000;',
      },
    ],
    test: {
      file: 'client/src/promises.test.ts',
      name: 'the cases of client/promises.json > C-5 issue_token: a service that never answers',
    },
  },
  {
    name: 'an exchange with another key each time',
    edits: [
      {
        file: 'client/src/attempt.ts',
        from: "headers: { 'idempotency-key': key,",
        to: "headers: { 'idempotency-key': key + String(performance.now()),",
      },
    ],
    test: {
      file: 'service/test/client/token.test.ts',
      name: 'an exchange > C-4 with another body is refused, and there is one token',
    },
  },
  {
    name: 'a return of another session that is taken',
    edits: [
      {
        file: 'client/src/login.ts',
        from: "if (members.get('attempt_id') !== attempt.id) return { outcome: 'dropped' };",
        to: "if (members.get('attempt_id') === null) return { outcome: 'dropped' };",
      },
    ],
    test: { file: PROMISES_TEST, name: 'in simulator mode > C-15 is kept' },
  },
  {
    name: "a call that ignores an option in the interface's own spelling",
    edits: [
      {
        file: 'client/src/wire.ts',
        from: 'if (allowed.includes(name)) continue;',
        to: 'if (/^[a-z]/.test(name)) continue;',
      },
    ],
    test: {
      file: 'service/test/client/failures.test.ts',
      name: 'C-14 wrong use is a TypeError that says what is right > of issueToken with {"completion_code":"secret"}, and nothing is sent',
    },
  },
  {
    name: 'a client that follows redirects',
    edits: [
      { file: 'client/src/connection.ts', from: "redirect: 'manual',", to: "redirect: 'follow'," },
    ],
    test: {
      file: 'service/test/client/secrets.test.ts',
      name: 'C-13 a secret > does not follow a redirect to another host',
    },
  },
];
