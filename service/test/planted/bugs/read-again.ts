import type { PlantedBug } from '../support/planted-bug.ts';

const LIVE = 'service/test/live/read-again.test.ts';
const PASSWORD = 'service/test/e2e/postgres-password.test.ts';
const REREAD = 'service/src/config/source/reread.ts';
const RELOAD = 'service/src/operate/reload.ts';
const CONNECTOR = 'service/src/store/postgres/connector.ts';

/** Bugs in what changes while the service runs. */
export const READ_AGAIN_BUGS: readonly PlantedBug[] = [
  {
    name: 'a new key of the provider read and not used',
    edits: [
      {
        file: 'service/src/provider/call/call.ts',
        from: 'config = { ...config, appId, appKey };',
        to: 'config = { ...config, appId };',
      },
    ],
    test: {
      file: LIVE,
      name: 'a file of the key of the provider > that is empty leaves the old one in force',
    },
  },
  {
    name: 'a reload says that the clients have changed, which have not',
    edits: [
      {
        file: 'service/src/program/mode.ts',
        from: "settings: isOther ? ['CLIENTS_FILE'] : [],",
        to: "settings: isOther || next.length > 0 ? ['CLIENTS_FILE'] : [],",
      },
    ],
    test: {
      file: LIVE,
      name: 'a reload names the settings that have changed, and none where nothing has',
    },
  },
  {
    name: 'a password that systemd has copied is said to be read again by itself',
    edits: [
      {
        file: 'service/src/store/postgres/database-password.ts',
        from: "if (this.#isCopy) return 'credential';",
        to: '',
      },
    ],
    test: {
      file: PASSWORD,
      name: 'one that systemd has copied is changed by a restart, and readiness and a reload say so',
    },
  },
  {
    name: 'the secret of another setting sent to the provider after a reload',
    edits: [
      { file: REREAD, from: 'if (isMistaken) {', to: 'if (isMistaken && faults.length > 1) {' },
    ],
    test: {
      file: LIVE,
      name: 'a file of the key of the provider > that has the secret of another setting leaves the old one in force',
    },
  },
  {
    name: 'a refused key of the provider not looked up in its file',
    edits: [
      {
        file: 'service/src/provider/call/call.ts',
        from: 'tools.onKeyRefused?.();',
        to: '',
      },
    ],
    test: {
      file: LIVE,
      name: 'a key that the provider refuses > is looked up in its file without a signal, and the session is asked for again',
    },
  },
  {
    name: 'a push sent again with the key that took the place of the refused one',
    edits: [
      {
        file: 'service/src/provider/call/call.ts',
        from: 'tries >= OPERATIONS[operation].tries ||',
        to: 'tries >= 2 ||',
      },
    ],
    test: {
      file: LIVE,
      name: 'a key that the provider refuses > sends no push a second time',
    },
  },
  {
    name: 'a reload uses what has no fault, and leaves the rest',
    edits: [
      {
        file: RELOAD,
        from: 'if (reasons.length === 0) return changes;',
        to: 'if (changes.length > 0) return changes;',
      },
    ],
    test: {
      file: LIVE,
      name: 'a file of the key of the provider > is not used while the clients file has a fault',
    },
  },
  {
    name: 'two reloads read at a time',
    edits: [
      {
        file: RELOAD,
        from: 'return () => (last = last.then(reload));',
        to: 'last = Promise.resolve();\n  return () => last.then(reload);',
      },
    ],
    test: {
      file: 'service/src/operate/reload.test.ts',
      name: 'one reload follows the other, so that the latest files count',
    },
  },
  {
    name: 'an authority that was taken out trusted on the connections that are there',
    edits: [
      {
        file: 'service/src/provider/call/call.ts',
        from: 'transport.renew?.();',
        to: '',
      },
    ],
    test: {
      file: LIVE,
      name: 'the authorities of NODE_EXTRA_CA_CERTS > are others after a SIGHUP, and one that was taken out is trusted no more',
    },
  },
  {
    name: 'another database taken from the file of the password',
    edits: [
      {
        file: REREAD,
        from: 'next !== null && placeOf(next) !== placeOf(address)',
        to: 'next !== null && next.user !== address.user',
      },
    ],
    test: {
      file: PASSWORD,
      name: 'a file of DATABASE_URL > that names another database leaves the old password in force',
    },
  },
  {
    name: 'the file of the password not read when the server refuses it',
    edits: [
      {
        file: CONNECTOR,
        from: 'if (!LOGIN_REFUSED.has(stateOf(error))) throw error;',
        to: "if (stateOf(error) !== '28000') throw error;",
      },
    ],
    test: {
      file: PASSWORD,
      name: 'a start with the wrong password says the same, and goes on when the file has the right one',
    },
  },
  {
    name: 'readiness promises that a password in the environment is read again',
    edits: [
      {
        file: 'service/src/store/postgres/database-password.ts',
        from: "if (this.#read === null) return 'fixed';",
        to: '',
      },
    ],
    test: {
      file: PASSWORD,
      name: 'a password in the environment is changed by a restart, and readiness says so',
    },
  },
];
