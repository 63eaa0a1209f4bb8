import type { PlantedBug } from '../support/planted-bug.ts';

const LIVE = 'service/test/live/read-again.test.ts';
const PASSWORD = 'service/test/e2e/postgres-password.test.ts';
const REREAD = 'service/src/config/source/reread.ts';
const RELOAD = 'service/src/operate/reload.ts';
const KEYS = 'service/src/operate/keys-reload.ts';
const KEY_STEPS = 'service/src/operate/keys-reload.test.ts';
const REREAD_TEST = 'service/src/config/source/reread.test.ts';
const KEYS_AGAIN = 'service/test/live/keys-again.test.ts';
const PRESENCE = 'service/test/store/postgres/presence.test.ts';
const SHOWN_FIRST =
  'a key is shown before it is written with, and the old one until its last write is done';
const CONNECTOR = 'service/src/store/postgres/connections/connector.ts';

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
        file: 'service/src/store/postgres/connections/database-password.ts',
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
    name: 'the client secret of the operators sent to the provider after a reload',
    edits: [
      {
        file: REREAD,
        from: 'used: operator?.people?.clientSecret ?? null,',
        to: 'used: null,',
      },
    ],
    test: {
      file: REREAD_TEST,
      name: 'a key of the provider > that is the OPERATOR_CLIENT_SECRET of the start, which is in use until the next, is refused',
    },
  },
  {
    name: 'what was used not told where the clients could not be written down',
    edits: [
      {
        file: RELOAD,
        from: 'if ([...used].some(({ settings }) => settings.length > 0)) tellUsed();',
        to: '',
      },
    ],
    test: {
      file: 'service/src/operate/reload.test.ts',
      name: 'what was used is told, although the clients could not be written down',
    },
  },
  {
    name: 'what followed from earlier keys handed out after a fault',
    edits: [
      {
        file: 'service/src/platform/keys/server-keyring.ts',
        from: '      value = derive(keys);\n      from = keys;\n',
        to: '      from = keys;\n      value = derive(keys);\n',
      },
    ],
    test: {
      file: 'service/src/platform/keys/server-keyring.test.ts',
      name: 'does not hand out what followed from earlier keys after it could not be made anew',
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
        file: 'service/src/store/postgres/connections/database-password.ts',
        from: "if (this.#read === null) return 'fixed';",
        to: '',
      },
    ],
    test: {
      file: PASSWORD,
      name: 'a password in the environment is changed by a restart, and readiness says so',
    },
  },
  {
    name: 'a new key of the service taken without the old one',
    edits: [
      {
        file: KEYS,
        from: 'if (hasNewCurrent && !next.retired.some((key) => isSame(key, keys.current))) {',
        to: 'if (hasNewCurrent && next.retired.length === 0) {',
      },
    ],
    test: {
      file: KEYS_AGAIN,
      name: 'a key of the service > without the old one leaves everything as it was',
    },
  },
  {
    name: 'the secret of another setting taken as a key of the service',
    edits: [
      {
        file: REREAD,
        from: 'own.some((key) => others.has(key))',
        to: "others.has(own[0] ?? '')",
      },
    ],
    test: {
      file: KEYS_AGAIN,
      name: 'a key of the service > that has the secret of another setting leaves everything as it was',
    },
  },
  {
    name: 'a new key of the service written with before its sessions show it',
    edits: [
      { file: KEYS, from: '  await instances?.show([before, next.current], keys);\n', to: '' },
    ],
    test: { file: KEY_STEPS, name: SHOWN_FIRST },
  },
  {
    name: 'other instances not asked before the key of the service changes',
    edits: [
      {
        file: KEYS,
        from: '    await requireFit(keys.writingWith(next.current));\n',
        to: '',
      },
    ],
    test: { file: KEY_STEPS, name: SHOWN_FIRST },
  },
  {
    name: 'a key that could not be shown counted as shown',
    edits: [{ file: KEYS, from: '      isLastComplete = false;\n', to: '' }],
    test: {
      file: KEY_STEPS,
      name: 'a key that others could not be shown is shown by the next reload',
    },
  },
  {
    name: 'a writing thread that keeps the audit key of its start',
    edits: [
      {
        file: 'service/src/store/sqlite/sqlite-engine.ts',
        from: 'const isOther = auditKey !== this.#sentAuditKey;',
        to: 'const isOther = this.#sentAuditKey === null;',
      },
    ],
    test: {
      file: 'service/test/store/audit.test.ts',
      name: 'a row is under the key of the moment when its transaction is sent, and the log verifies with both',
    },
  },
  {
    name: 'a cookie of OpenID under any signature',
    edits: [
      {
        file: 'service/src/openid/cookies.ts',
        from: 'return own.length === given.length && timingSafeEqual(own, given);',
        to: 'return own.length === given.length && timingSafeEqual(own, own);',
      },
    ],
    test: {
      file: 'service/src/openid/cookies.test.ts',
      name: 'a cookie is that of its signature, under a key of the server, and whole',
    },
  },
  {
    name: 'cookies of OpenID signed with the key of the start',
    edits: [
      {
        file: 'service/src/openid/cookies.ts',
        from: 'keys: signatures(services.keys),',
        to: 'keys: signatures({ ...services.keys }),',
      },
    ],
    test: {
      file: KEYS_AGAIN,
      name: 'cookies of a sign-in by OpenID are signed with the key of the moment, as other instances do',
    },
  },
  {
    name: 'a session that shows one of two keys alone',
    edits: [
      {
        file: 'service/src/store/postgres/presence/sessions.ts',
        from: '...writes.map((key) => [CURRENT_KEY, key]),',
        to: '...writes.slice(0, 1).map((key) => [CURRENT_KEY, key]),',
      },
    ],
    test: {
      file: PRESENCE,
      name: 'an instance writes with another key when all others know it, and not before',
    },
  },
  {
    name: 'an instance that nobody sees at one look is forgotten when a key is changed',
    edits: [
      {
        file: 'service/src/store/postgres/presence/presence.ts',
        from: 'for (let waited = 0; fitting < WAIT_MS; waited += LOOK_INTERVAL_MS) {',
        to: 'for (let waited = 0; fitting < 1; waited += LOOK_INTERVAL_MS) {',
      },
    ],
    test: {
      file: PRESENCE,
      name: 'one without a session for a moment, when a key is changed, is waited for',
    },
  },
  {
    name: 'an instance that ends because another one does not know its next key',
    edits: [
      {
        file: 'service/src/store/postgres/presence/presence.ts',
        from: 'if (conflict !== null && this.#isChanging) throw new Error(conflict);',
        to: '',
      },
    ],
    test: {
      file: PRESENCE,
      name: 'where another one does not know the key, the old one is shown as before, and nobody ends',
    },
  },
  {
    name: 'writes that have begun not waited for when a key becomes known',
    edits: [
      {
        file: 'service/src/store/postgres/postgres-engine.ts',
        from: 'return this.#underWay.settled();',
        to: 'return Promise.resolve();',
      },
    ],
    test: { file: PRESENCE, name: 'what has begun is waited for, before a key counts as known' },
  },
  {
    name: 'a connection that was under way taken by a renewed pool',
    edits: [
      {
        file: 'service/src/store/postgres/connections/connection-pool.ts',
        from: 'if (this.#isClosed || generation !== this.#generation) {',
        to: 'if (this.#isClosed || generation > this.#generation) {',
      },
    ],
    test: {
      file: 'service/src/store/postgres/connections/connection-pool.test.ts',
      name: 'a pool of connections > made anew, it does not take a connection that was under way',
    },
  },
];
