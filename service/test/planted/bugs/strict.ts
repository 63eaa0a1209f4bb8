import type { PlantedBug } from '../support/planted-bug.ts';

const STRICT = 'service/test/threats/strict.test.ts';

/** Bugs in the checks that strict simulator mode shares with live mode. */
export const STRICT_BUGS: readonly PlantedBug[] = [
  {
    name: 'strict mode keeps the start without a key',
    edits: [
      {
        file: 'service/src/account/client.ts',
        from: "return { ...simulatorClient(returnAddress), type: 'confidential', keyless: [] };",
        to: "return { ...simulatorClient(returnAddress), type: 'confidential' };",
      },
    ],
    test: {
      file: STRICT,
      name: 'strict simulator mode > refuses a start by redirect without a key: client.unauthenticated',
    },
  },
  {
    name: 'strict mode completes by /complete-mfa',
    edits: [
      {
        file: 'service/src/attempt/phone/confirm-phone.flow.ts',
        from: 'return requireCompleted(attemptAt(record, now)).record;',
        to: "const attempt = attemptAt(record, now);\n  if (attempt.state === 'pending') return record;\n  return requireCompleted(attempt).record;",
      },
    ],
    test: {
      file: STRICT,
      name: 'strict simulator mode > refuses a completion of a push without the person: attempt.pending',
    },
  },
  {
    name: 'the status names people in strict mode',
    edits: [
      {
        file: 'service/src/attempt/rules.ts',
        from: 'export const STRICT_RULES: Rules = {\n  ...REHEARSAL_RULES,',
        to: "export const STRICT_RULES: Rules = {\n  ...REHEARSAL_RULES,\n  statusShows: 'everything',",
      },
    ],
    test: {
      file: STRICT,
      name: 'strict simulator mode > names nobody in a status, before the redemption and after',
    },
  },
];
