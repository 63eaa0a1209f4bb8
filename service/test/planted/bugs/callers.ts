import type { PlantedBug } from '../support/planted-bug.ts';

const ISSUE = 'service/src/attempt/redeem/issue-api-token.flow.ts';
const PUSH_BUDGET = 'service/src/attempt/start/push-budget.flow.ts';
const BUDGET_DIGEST = 'service/src/attempt/start/push-budget.ts';

/** Bugs in the checks of callers, in rate limits, and in what callers can see. */
export const CALLER_BUGS: readonly PlantedBug[] = [
  {
    name: 'pushes of other applications counted in the limit of one',
    edits: [
      {
        file: BUDGET_DIGEST,
        from: ': [{ quota: pushesPerPersonPerDay, lengthMs: DAY_MS, client }];',
        to: ": [{ quota: pushesPerPersonPerDay, lengthMs: client === '' ? 0 : DAY_MS }];",
      },
    ],
    test: {
      file: 'service/test/api/client-limits.test.ts',
      name: 'of pushes to one person in a day are of this person and this application',
    },
  },
  {
    name: 'a client that a reload takes out has no row in the audit log',
    edits: [
      {
        file: 'service/src/account/client.ts',
        from: '(id) => old.get(id) !== now.get(id),',
        to: '(id) => now.has(id) && old.get(id) !== now.get(id),',
      },
    ],
    test: {
      file: 'service/test/api/client-commands.test.ts',
      name: 'a client is added, gets another key, and is removed, with one reload each',
    },
  },
  {
    name: 'limits of a client taken from none',
    edits: [
      {
        file: PUSH_BUDGET,
        from: 'services.clients.find(record.client)?.limits ?? USUAL_LIMITS',
        to: 'services.clients.find(`${record.client}?`)?.limits ?? USUAL_LIMITS',
      },
    ],
    test: {
      file: 'service/test/api/client-limits.test.ts',
      name: 'of pushes in a minute are its own',
    },
  },
  {
    name: 'push budget counted for each client by itself',
    edits: [
      {
        file: PUSH_BUDGET,
        from: 'const digests = budgetDigests(services.keys, nationalId, scopeOf(record));',
        to: 'const digests = budgetDigests(services.keys, `${client}${nationalId}` as typeof nationalId);',
      },
    ],
    test: {
      file: 'service/test/threats/budgets.test.ts',
      name: 'threat 6: push bombing > 50 starts from 50 addresses and two clients reach a phone once, while it waits',
    },
  },
  {
    name: 'push budgets forgotten at a restart',
    edits: [
      {
        file: BUDGET_DIGEST,
        from: "return keyedDigestText(serverKey, 'push-budget', keyInScope(scope, nationalId));",
        to: "return keyedDigestText(KEY_OF_THIS_RUN, 'push-budget', nationalId);",
      },
      {
        file: BUDGET_DIGEST,
        from: '/** How long a push counts:',
        to: `const KEY_OF_THIS_RUN = crypto.getRandomValues(new Uint8Array(32));
/** How long a push counts:`,
      },
    ],
    test: {
      file: 'service/test/threats/restart.test.ts',
      name: 'threat 6: push bombing with a crash in between > a refusal cools down after kill -9 as before it',
    },
  },
  {
    name: 'completion code not required in live mode',
    edits: [
      {
        file: ISSUE,
        from: 'const isRequired = rules.requiresCompletionCode',
        to: 'const isRequired = !rules.requiresCompletionCode',
      },
    ],
    test: {
      file: 'service/test/threats/redirect.test.ts',
      name: 'threat 4: a relayed authorization link > is worth nothing without the code of the browser that finished',
    },
  },
  {
    name: 'guesses of a completion code not counted',
    edits: [
      {
        file: ISSUE,
        from: 'const missed = await store.countWrongCode(attemptId, at);',
        to: "const missed = attemptId === '' ? await store.countWrongCode(attemptId, at) : null;",
      },
    ],
    test: {
      file: 'service/test/threats/redirect.test.ts',
      name: 'threat 4: a relayed authorization link > ends after five guesses, for the right code too',
    },
  },
  {
    name: 'API token good after its last day',
    edits: [
      {
        file: 'service/src/account/api-token.ts',
        from: 'now < token.expiresAt',
        to: 'now <= token.expiresAt',
      },
    ],
    test: {
      file: 'service/test/threats/clock.test.ts',
      name: 'threat 48, live mode: a token after its last day > is refused at its expiry, not a millisecond before',
    },
  },
  {
    name: "a confidential client's key not required at /token",
    edits: [
      {
        file: 'service/src/attempt/read-attempt.flow.ts',
        from: "const isTheirs = owner?.type === 'public' || client === owner?.id;",
        to: 'const isTheirs = owner !== null;',
      },
    ],
    test: {
      file: 'service/test/threats/secrets.test.ts',
      name: "threats 17 and 18: what an answer gives away of an attempt > another client's key is worth no more than a wrong token",
    },
  },
  {
    name: 'a cancel without the key of the client that started',
    edits: [
      {
        file: 'service/src/attempt/finish/cancel-attempt.flow.ts',
        from: 'requireOwner(services, proven.attempt, request.client);',
        to: 'void requireOwner;',
      },
    ],
    test: {
      file: 'service/test/threats/cancelled.test.ts',
      name: 'threat 110: starts that are cancelled, to send one person more prompts > nobody else can cancel: not with the token alone, nor with the key of another client',
    },
  },
  {
    name: 'a cancel of what was redeemed is acknowledged',
    edits: [
      {
        file: 'service/src/attempt/finish/cancel-attempt.flow.ts',
        from: 'if (!isCancelled(attempt)) throw refusalIn(attempt, at);',
        to: 'if (!isCancelled(attempt)) void refusalIn;',
      },
    ],
    test: {
      file: 'service/test/api/cancel.test.ts',
      name: 'DELETE /attempts/{attempt_id} > leaves one that was redeemed, and its token',
    },
  },
  {
    name: 'status unmasked in live mode',
    edits: [
      {
        file: 'service/src/attempt/status/status.route.ts',
        from: 'isMasked ? presentMaskedUser : presentUser',
        to: 'isMasked ? presentUser : presentMaskedUser',
      },
    ],
    test: {
      file: 'service/test/threats/secrets.test.ts',
      name: 'two modes: what live mode shows of a person, and to whom > a status has all ten members and names nobody, before the redemption and after',
    },
  },
  {
    name: 'X-Forwarded-For believed from everybody',
    edits: [
      {
        file: 'service/src/request/app.ts',
        from: 'trustProxy: addresses.hasProxies ? (address) => addresses.isTrusted(address) : false,',
        to: 'trustProxy: true,',
      },
    ],
    test: {
      file: 'service/test/threats/limits.test.ts',
      name: 'threat 22: forged addresses, where no proxy is trusted > a new one in each request changes nothing, in no header',
    },
  },
  {
    name: 'a back end that states no address shares one budget, and is not told',
    edits: [
      {
        file: 'service/src/request/caller/caller.ts',
        from: 'if (callerOf(context, request).isMisstated) throw',
        to: 'if (callerOf(context, request).isMisstated) void',
      },
    ],
    test: {
      file: 'service/test/threats/limits.test.ts',
      name: 'threat 22: addresses that a back end names > that are none are refused by the name of the header, and have one budget',
    },
  },
  {
    name: 'tokens of a removed client stay good',
    edits: [
      {
        file: 'service/src/account/use-api-token.flow.ts',
        from: 'if (clients.find(found.token.client) === null) return null;',
        to: 'void clients;',
      },
    ],
    test: {
      file: 'service/test/threats/substitution.test.ts',
      name: 'threat 62: a token of one application at the back end of another > ends with its application, at the reload, and no other token does',
    },
  },
  {
    name: 'devices of other applications listed',
    edits: [
      {
        file: 'service/src/store/sqlite/statements.generated.ts',
        from: `"user_id" = ? and "client" = ?
and "revoked_at" is null and "token_id" <`,
        to: `"user_id" = ? and "client" <> ? || '-'
and "revoked_at" is null and "token_id" <`,
      },
    ],
    test: {
      file: 'service/test/store/conformance.test.ts',
      name: 'SQLite keeps the promises of the store port > tokens > S-21: the list holds active tokens of that person and client only, newest first',
    },
  },
  {
    name: 'an operation that takes more than the contract says',
    edits: [
      {
        file: 'service/src/attempt/redeem/token.route.ts',
        from: '      body: TokenRequest,',
        to: '      body: { ...TokenRequest, additionalProperties: true },',
      },
    ],
    test: {
      file: 'service/test/api/contract.test.ts',
      name: 'the OpenAPI document in simulator mode > describes issueToken by the schemas of the contract',
    },
  },
  {
    name: 'a spoil between the first look and the redemption is not seen',
    edits: [
      {
        file: ISSUE,
        from: `  if (services.heldSpoils.has(attemptId)) await endSpoiled(services, attemptId, at);
  const token`,
        to: '  const token',
      },
    ],
    test: {
      file: 'service/src/attempt/redeem/issue-api-token.flow.test.ts',
      name: 'an attempt that is spoiled while it is being redeemed yields no token',
    },
  },
  {
    name: 'a start that cannot be ended hides the error of the provider',
    edits: [
      {
        file: 'service/src/attempt/start/push-budget.flow.ts',
        from: "logFailure(error, 'what follows a refused start could not be stored');",
        to: 'throw logFailure === null ? null : error;',
      },
    ],
    test: {
      file: 'service/src/attempt/start/remote-start.flow.test.ts',
      name: 'the caller of a redirect gets the error of the provider, also when the attempt cannot be ended',
    },
  },
];
