import type { PlantedBug } from '../support/planted-bug.ts';

const AREA_B = 'simulator/test/area-b.test.ts';
const SCOPES = 'simulator/src/engine/scopes.test.ts';
const POPULATION = 'simulator/src/population/population.test.ts';
const SHARED = 'service/test/api/scopes.test.ts';

/** Bugs in the simulator, on whose checks users rely. */
export const SIMULATOR_BUGS: readonly PlantedBug[] = [
  {
    name: 'an attempt whose prompt gave its place to others taken for a refused one',
    edits: [
      {
        file: 'simulator/src/journal/seen-attempts.ts',
        from: "isRefused(entries) ? 'failed' : endIn(entries)",
        to: "isRefused(entries) || entries.length > 0 ? 'failed' : endIn(entries)",
      },
    ],
    test: {
      file: 'simulator/test/time-line.test.ts',
      name: 'the time line of a simulator that stands alone > keeps what an attempt came to when others have taken the place of its prompt',
    },
  },
  {
    name: 'a push for an unknown service is accepted',
    edits: [
      {
        file: 'simulator/src/engine/engine.ts',
        from: "const service = findService(this.settings.services, request.service);\n    if (service === null) return this.#refuse('invalidRequest');",
        to: 'const service = findService(this.settings.services, request.service) ?? { answerMs: 60_000 };',
      },
    ],
    test: {
      file: AREA_B,
      name: 'POST /stg/api/v1/mfa/request > knows the services that it is given, and no other',
    },
  },
  {
    name: 'an active transaction hands out the number of the other request',
    edits: [
      {
        file: 'simulator/src/engine/engine.ts',
        from: 'if (refusal !== null) return this.#refuse(refusal);',
        to: `if (refusal !== null) {
      const other = this.#shelf.byPerson({ scope: 'default', nationalId: request.nationalId });
      const refused = this.#refuse(refusal);
      const { record } = refused;
      const message = [record.message, other?.transactionId, other?.bindingCode].join(' ');
      return { ...refused, record: { ...record, message } };
    }`,
      },
    ],
    test: {
      file: AREA_B,
      name: 'POST /stg/api/v1/mfa/request > answers 400-034-050 while a request waits for the same person',
    },
  },
  {
    name: 'one spelling of the key headers is ignored',
    edits: [
      { file: 'simulator/src/provider/provider.ts', from: "  ['app_id', 'app_key'],\n", to: '' },
    ],
    test: {
      file: AREA_B,
      name: "the gateway > lets in whoever has both halves of the pair in one spelling: { app_id: 'an-app', app_key: 'a-key' }",
    },
  },
  {
    name: 'a moved clock wakes nobody who waits for an attempt',
    edits: [
      {
        file: 'service/src/program/program.ts',
        from: '    waiters.timeMoved();\n',
        to: '',
      },
    ],
    test: {
      file: 'service/test/api/clock.test.ts',
      name: 'a moved clock > expires an attempt, for whoever reads it and for whoever waits for it',
    },
  },
  {
    name: 'a moved clock leaves housekeeping for later',
    edits: [
      {
        file: 'service/src/program/program.ts',
        from: '    await Promise.all([housekeeping.catchUp(), webhooks.catchUp()]);\n',
        to: '',
      },
    ],
    test: {
      file: 'service/test/api/clock.test.ts',
      name: 'a moved clock > has housekeeping done when the move is answered',
    },
  },
  {
    name: 'a limit waits for a time that a reset has taken back',
    edits: [
      {
        file: 'service/src/values/time.ts',
        from: 'return now >= at || at - now > waitMs;',
        to: 'return now >= at;',
      },
    ],
    test: {
      file: 'service/test/api/clock.test.ts',
      name: 'a moved clock > begins the window of a limit anew, also when it was set back',
    },
  },
  {
    name: 'a prompt of another scope can be decided',
    edits: [
      {
        file: 'simulator/src/engine/engine.ts',
        from: 'const isForeign = scope !== undefined && scope !== prompt?.scope;',
        to: 'const isForeign = false;',
      },
    ],
    test: { file: SCOPES, name: 'a push of one scope > is seen and decided there only' },
  },
  {
    name: 'the time line of somebody who was removed names nobody',
    edits: [
      {
        file: 'simulator/src/engine/people/directory.ts',
        from: 'return this.byNationalId(nationalId) ?? this.#former.get(nationalId) ?? null;',
        to: 'return this.byNationalId(nationalId);',
      },
    ],
    test: {
      file: 'simulator/test/time-line.test.ts',
      name: 'the time line of a simulator that stands alone > still names somebody who was removed since',
    },
  },
  {
    name: 'the default person answers for somebody who was removed',
    edits: [
      {
        file: 'simulator/src/engine/people/directory.ts',
        from: '  return { signer: found ?? builtIn, isOwner: builtIn.nationalId === nationalId };',
        to: '  const { fallback } = directory.people;\n  return { signer: found ?? (directory.byId(builtIn.id) === null ? fallback : builtIn), isOwner: builtIn.nationalId === nationalId };',
      },
      {
        file: 'simulator/src/engine/people/directory.ts',
        from: '    .everBeing(builtIn.id)\n    .find((person) => person.nationalId === builtIn.nationalId);',
        to: '    .everBeing(builtIn.id)\n    .find((person) => directory.byId(person.id) !== null && person.nationalId === builtIn.nationalId);',
      },
    ],
    test: {
      file: SCOPES,
      name: 'somebody who was removed > can still answer what waited, as who they were',
    },
  },
  {
    name: 'any number of scopes keeps something',
    edits: [
      {
        file: 'simulator/src/engine/scopes.ts',
        from: 'others.length >= this.#limits.scopes ||',
        to: '',
      },
    ],
    test: {
      file: SCOPES,
      name: 'what a scope has > is bounded by the number of scopes, and one that is given back leaves its place',
    },
  },
  {
    name: 'a scope moves the clock of all the others',
    edits: [
      {
        file: 'simulator/src/control/conditions/clock.ts',
        from: "if (scopeOfCaller({ headers }) !== DEFAULT_SCOPE) throw new ControlError('clock.of_instance');",
        to: '',
      },
    ],
    test: {
      file: 'simulator/test/people.test.ts',
      name: 'a scope > can’t move the clock, which all scopes share',
    },
  },
  {
    name: 'a person is one user in all scopes',
    edits: [
      {
        file: 'service/src/simulate/simulated-prompts.ts',
        from: 'return scope === DEFAULT_SCOPE ? SIMULATOR_ISSUER : `${SIMULATOR_ISSUER}:${scope}`;',
        to: 'return SIMULATOR_ISSUER;',
      },
    ],
    test: {
      file: SHARED,
      name: 'the users of a scope > are others than the same people of another one, and so are their devices',
    },
  },
  {
    name: 'a limit by address is one for all scopes',
    edits: [
      {
        file: 'service/src/request/caller/caller.ts',
        from: 'return keyInScope(scopeOfRequest(context, request), context.addresses.keyOf(request));',
        to: 'return context.addresses.keyOf(request);',
      },
    ],
    test: {
      file: SHARED,
      name: 'the limits of a scope > are its own, by the header and by the address',
    },
  },
  {
    name: 'a sign-in gives the pushes of all scopes back',
    edits: [
      {
        file: 'service/src/attempt/start/push-budget.ts',
        from: "return keyedDigestText(serverKey, 'push-budget', keyInScope(scope, nationalId));",
        to: "return keyedDigestText(serverKey, 'push-budget', nationalId);",
      },
    ],
    test: {
      file: SHARED,
      name: 'the limits of a scope > of prompts are its own too, and a sign-in in another scope gives none back',
    },
  },
  {
    name: 'the header wins over the address of another scope',
    edits: [
      {
        file: 'service/src/request/request-head.ts',
        from: 'else if (inHeader !== undefined && inHeader !== named) faults.set(request, TWO_SCOPES);',
        to: '',
      },
    ],
    test: {
      file: SHARED,
      name: 'the base address of a scope > can have the header of the same scope beside it, and of no other one',
    },
  },
  {
    name: 'attempts of a longer name are listed in a scope',
    edits: [
      {
        file: 'service/src/store/sql/stores/attempts.ts',
        from: '`${scope} %`',
        to: '`${scope}%`',
      },
    ],
    test: {
      file: 'service/test/store/memory.test.ts',
      name: 'memory keeps the promises of the store port > pending > S-49, S-106: those of other scopes are not listed, however many they are',
    },
  },
  {
    name: 'a live service takes a scope out of the address',
    edits: [
      {
        file: 'service/src/request/app.ts',
        from: "context.scenarios === null ? (request.url ?? '') : moveScopeToHeader(request)",
        to: 'moveScopeToHeader(request)',
      },
    ],
    test: {
      file: 'service/test/threats/simulator-headers.test.ts',
      name: 'threat 84: the powers of the simulator, used on a live service > the base address of a scope is an unknown path like any other',
    },
  },
  {
    name: 'a live service reads what a test chooses',
    edits: [
      {
        file: 'service/src/program/mode.ts',
        from: '    scenarios: simulation?.scenarios ?? null,\n',
        to: `    scenarios: simulation?.scenarios ?? (({ 'x-miftah-scope': scope }) => {
      if (scope?.includes(' ')) throw new Error('no scope');
      return null;
    }),
`,
      },
    ],
    test: {
      file: 'service/test/threats/simulator-headers.test.ts',
      name: 'threat 84: the powers of the simulator, used on a live service > X-Miftah-Scope and X-Simulate change no answer, when their values are not allowed',
    },
  },
  {
    name: 'a query that is ignored where the operation takes none',
    edits: [
      {
        file: 'simulator/src/control/control.ts',
        from: 'Object.keys(query ?? {}).length > 0',
        to: 'Object.keys(query ?? {}).length > 9',
      },
    ],
    test: {
      file: 'simulator/test/control-errors.test.ts',
      name: 'a query that listOutcomes has no use for > is refused with the word that there is none, and changes nothing',
    },
  },
  {
    name: 'a generated person has a number that somebody may hold',
    edits: [
      {
        file: 'simulator/src/population/population.ts',
        from: 'checkDigit(digits) + 1 + draws.below(9)',
        to: 'checkDigit(digits) + draws.below(10)',
      },
    ],
    test: {
      file: POPULATION,
      name: 'a national id > is nobody’s: its checksum is wrong, and no reserved or test person has one like it',
    },
  },
  {
    name: 'two people of a population have one number',
    edits: [
      {
        file: 'simulator/src/population/population.ts',
        from: '10 * draws.below(SERIALS / 10) + draws.oneOf(LAST_DIGITS)',
        to: '10_000 * draws.below(SERIALS / 10_000)',
      },
    ],
    test: {
      file: POPULATION,
      name: 'a national id > is of one person, and so are the id and the address',
    },
  },
  {
    name: 'a generated person has another name in Arabic than in English',
    edits: [
      {
        file: 'simulator/src/population/names.ts',
        from: 'third: third?.[script] ?? null,',
        to: 'third: (script === 0 ? third : second)?.[script] ?? null,',
      },
    ],
    test: {
      file: POPULATION,
      name: 'a name > is the same in both scripts, part by part, and no part is empty',
    },
  },
  {
    name: 'fewer people of a population have a hard name than is said',
    edits: [
      {
        file: 'simulator/src/population/draws.ts',
        from: 'let left = this.below(THOUSAND);',
        to: 'let left = Math.min(this.below(THOUSAND), 949);',
      },
    ],
    test: {
      file: POPULATION,
      name: 'hard names > marks: as many as is said, and each is one',
    },
  },
  {
    name: 'an answer has all people of a simulator',
    edits: [
      {
        file: 'simulator/src/engine/people/people.ts',
        from: 'if (found.length === limit) break;',
        to: '',
      },
    ],
    test: {
      file: 'simulator/test/many-people.test.ts',
      name: 'GET /simulator/people > gives a thousand, and all of them page by page, the default person first',
    },
  },
  {
    name: 'journal: what came before an attempt by OpenID began is lost',
    edits: [
      {
        file: 'service/src/simulate/hosted/tied-exchanges.ts',
        from: '[...signIn.held.splice(0), exchange]',
        to: '[exchange]',
      },
    ],
    test: {
      file: 'service/src/simulate/hosted/attempt-recorder.test.ts',
      name: 'E-4: what a tie leads to is of its attempt, also from before the attempt',
    },
  },
  {
    name: 'journal: a code of OpenID that was used before leads to no attempt',
    edits: [
      {
        file: 'service/src/openid/face.ts',
        from: "'auth_req_id', 'code', ",
        to: "'auth_req_id', ",
      },
    ],
    test: {
      file: 'service/test/api/openid-time-lines.test.ts',
      name: 'the time line of a sign-in by OpenID > has every call with its answer, from the request to a code that is used twice',
    },
  },
];
