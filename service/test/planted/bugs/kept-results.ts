import type { PlantedBug } from '../support/planted-bug.ts';

const ROTATIONS = 'service/test/threats/key-rotations.test.ts';
const TITLE = 'threat 108: two rotations within the pause between two reads of the keys';
const FINISH = 'service/src/attempt/browser/finish-return.flow.ts';

/** Bugs around results of the provider that wait for their key. */
export const KEPT_RESULT_BUGS: readonly PlantedBug[] = [
  {
    name: 'a key that can not be asked for is a bad token',
    edits: [
      {
        file: 'service/src/provider/token/provider-key-set.ts',
        from: 'if (mayAskIn > 0 && this.#reading === null) throw unavailable(mayAskIn);',
        to: 'if (mayAskIn > 0 && this.#reading === null) return null;',
      },
    ],
    test: { file: ROTATIONS, name: `${TITLE} > the result of a push is asked for again, and kept` },
  },
  {
    name: 'the keys are read for each result that waits',
    edits: [
      {
        file: 'service/src/provider/token/provider-key-set.ts',
        from: 'if (mayAskIn > 0 && this.#reading === null) throw unavailable(mayAskIn);',
        to: '',
      },
    ],
    test: {
      file: ROTATIONS,
      name: `${TITLE} > of 1,000 forged results none makes the keys be read more often`,
    },
  },
  {
    name: 'a state whose token is kept is exchanged again',
    edits: [
      {
        file: FINISH,
        from: 'kept === undefined ? provider.exchange(back)',
        to: 'kept === undefined || kept !== null ? provider.exchange(back)',
      },
    ],
    test: {
      file: ROTATIONS,
      name: `${TITLE} > a browser that returns waits, and is signed in by itself`,
    },
  },
  {
    name: 'the newest result takes the place of the first',
    edits: [
      {
        file: 'service/src/attempt/provider-transaction.ts',
        from: 'isThere || kept.length >= MOST_KEPT_TOKENS ? kept : [...kept, one];',
        to: 'isThere ? kept : [...kept, one].slice(-MOST_KEPT_TOKENS);',
      },
    ],
    test: {
      file: ROTATIONS,
      name: `${TITLE} > what came first keeps its place, whatever is sent after it, and is sealed on the disk`,
    },
  },
  {
    name: 'what is kept stays when its attempt has expired',
    edits: [
      {
        file: 'service/src/program/housekeeping.ts',
        from: '[PURGE_INTERVAL_MS, () => store.dropLateTokens(clock.now())],',
        to: '',
      },
    ],
    test: {
      file: ROTATIONS,
      name: `${TITLE} > nobody is signed in by the result of an attempt that is too old`,
    },
  },
  {
    name: 'a push whose key is not known holds up the younger ones',
    edits: [
      {
        file: 'service/src/attempt/phone/deliver-kept.flow.ts',
        from: 'of await services.store.keptPushes(now)) {',
        to: 'of (await services.store.keptPushes(now)).slice(0, 1)) {',
      },
    ],
    test: {
      file: ROTATIONS,
      name: `${TITLE} > a result whose key is known by now is not held up by an older push with forged ones`,
    },
  },
];
