import type { PlantedBug } from '../support/planted-bug.ts';

const EXCHANGES = 'service/src/server/exchanges.ts';
const GROUPS = 'service/src/server/request-groups.ts';
const GROUPS_TEST = 'service/src/server/request-groups.test.ts';
const ORDERLY = 'service/src/server/listener.ts';
const ORDERLY_TEST = 'service/src/server/orderly-server.test.ts';
const LISTENER_TEST = 'service/src/server/listener.test.ts';

/** Bugs in the limits of a connection. */
export const CONNECTION_BUGS: readonly PlantedBug[] = [
  {
    name: 'all bodies that end at the same moment are answered before the health',
    edits: [
      {
        file: 'service/src/server/listener.ts',
        from: 'if (this.#places === 0) {',
        to: 'if (this.#places === Number.NaN) {',
      },
    ],
    test: {
      file: 'service/test/threats/connections.test.ts',
      name: 'threat 66: sixteen requests at once on each of many connections > the last byte of a body, sent by all at the same moment, lets it wait for few',
    },
  },
  {
    name: 'a listening socket closed with connections in its queue',
    edits: [{ file: ORDERLY, from: '    await quietTurn(atEndOfTurn);\n', to: '' }],
    test: {
      file: ORDERLY_TEST,
      name: 'answers those that are in the queue of the listening socket when it is closed',
    },
  },
  {
    name: 'new connections closed before their first request',
    edits: [
      {
        file: ORDERLY,
        from: 'if (standingOf(socket) !== standing ||',
        to: "if (standingOf(socket) === 'working' ||",
      },
    ],
    test: {
      file: ORDERLY_TEST,
      name: 'waits for the first request of a connection that was accepted',
    },
  },
  {
    name: 'a drain that clients are not told of',
    edits: [
      {
        file: ORDERLY,
        from: 'if (drain.isOn && newestResponse(this.req.socket) === this)',
        to: 'if (drain.isOn && this.req.complete && newestResponse(this.req.socket) === undefined)',
      },
    ],
    test: {
      file: ORDERLY_TEST,
      name: 'says with each answer of a drain that the connection ends',
    },
  },
  {
    name: 'no limit for pipelined requests',
    edits: [
      {
        file: EXCHANGES,
        from: 'const MOST_EXCHANGES = 16;',
        to: 'const MOST_EXCHANGES = 16_000;',
      },
    ],
    test: {
      file: LISTENER_TEST,
      name: 'handles sixteen requests of a connection at a time, and closes it at the next',
    },
  },
  {
    name: 'an answer counted as gone when it was made',
    edits: [
      {
        file: EXCHANGES,
        from: 'if (exchange.response.writableFinished) continue;',
        to: 'if (exchange.response.writableEnded) continue;',
      },
    ],
    test: {
      file: LISTENER_TEST,
      name: 'counts an answer that was made and not read',
    },
  },
  {
    name: 'writes that nobody reads go on for ever',
    edits: [
      {
        file: 'service/src/server/listener.ts',
        from: "if (standing === 'stalled' || standing === 'idle') socket.destroy();",
        to: "if (standing === 'idle') socket.destroy();",
      },
    ],
    test: { file: LISTENER_TEST, name: 'ends a connection whose client does not read' },
  },
  {
    name: 'a connection kept after a request for another protocol',
    edits: [
      {
        file: EXCHANGES,
        from: '  endAfterUpgrade(request, response);',
        to: "  if (request.method === 'CONNECT') endAfterUpgrade(request, response);",
      },
    ],
    test: {
      file: LISTENER_TEST,
      name: 'closes a connection after a request to speak another protocol, and handles nothing behind it: "Upgrade: h2c\\r\\n"',
    },
  },
  {
    name: 'requests of foreign pages counted',
    edits: [
      {
        file: 'service/src/request/request-head.ts',
        from: "if (!SENDERS_TO_THE_API.has(sender)) throw new Refusal('origin.refused', originNote(request));",
        to: '',
      },
    ],
    test: {
      file: 'service/test/threats/foreign-pages.test.ts',
      name: "threat 68: a foreign page and its visitor's limits > fifty posts of it leave the next start its place",
    },
  },
  {
    name: 'a return that was too large to read forgotten',
    edits: [
      {
        file: 'service/src/request/app.ts',
        from: "const isLost = code === 'request.headers_too_large';",
        to: "const isLost = code === 'request.timeout';",
      },
    ],
    test: {
      file: 'service/test/threats/stuffed-cookies.test.ts',
      name: 'threat 65: a return whose head was made too large > in one packet still spoils the attempt',
    },
  },
  {
    name: 'of a head that was too large the last packet looked at',
    edits: [
      {
        file: 'service/src/server/exchanges.ts',
        from: 'else if (this.bytes.length < KEPT_BYTES) this.#add(piece());',
        to: `else {
      this.bytes = NOTHING;
      this.#add(piece());
    }`,
      },
    ],
    test: {
      file: 'service/src/server/exchanges.test.ts',
      name: 'of a head that comes in pieces the beginning is kept',
    },
  },
  {
    name: 'forms of any number of members read by the simulator',
    edits: [
      {
        file: 'simulator/src/http/bodies.ts',
        from: 'const MOST_MEMBERS = 32;',
        to: 'const MOST_MEMBERS = 32_000;',
      },
    ],
    test: {
      file: 'service/test/threats/simulator-forms.test.ts',
      name: 'threat 67: forms that are costly to read > cost the simulator little: by itself',
    },
  },
  {
    name: 'requests behind the last answer handled',
    edits: [
      {
        file: EXCHANGES,
        from: 'if (socket.writableEnded || isEnding(open)) return false;',
        to: "if (socket.writableEnded || (request.method === 'CONNECT' && isEnding(open))) return false;",
      },
    ],
    test: {
      file: LISTENER_TEST,
      name: 'closes a connection after a request to speak another protocol, and handles nothing behind it: "Upgrade: h2c\\r\\n"',
    },
  },
  {
    name: 'a request begun whose client has gone',
    edits: [
      {
        file: GROUPS,
        from: 'if (!request.socket.writable) return;',
        to: 'if (request.socket.readable && !request.socket.writable) return;',
      },
    ],
    test: {
      file: GROUPS_TEST,
      name: 'drops a request whose connection was closed while it waited, and no other',
    },
  },
  {
    name: 'a request handled before its connection was seen to be broken',
    edits: [
      {
        file: GROUPS,
        from: 'queueMicrotask(() => begin(request, response));',
        to: 'begin(request, response);',
      },
    ],
    test: {
      file: 'service/test/api/routes.test.ts',
      name: 'an answer to what is no HTTP request > has the whole form of an error: an unknown encoding',
    },
  },
  {
    name: 'a request that overtakes those that wait',
    edits: [{ file: GROUPS, from: 'const isAlone = !isScheduled && (', to: 'const isAlone = (' }],
    test: {
      file: GROUPS_TEST,
      name: 'lets no request overtake one that waits, also not on the same connection',
    },
  },
  {
    name: 'one handler that throws takes its group along',
    edits: [
      {
        file: GROUPS,
        from: '      request.socket.destroy();\n      onThrow(error);',
        to: '      onThrow(error);\n      throw error;',
      },
    ],
    test: {
      file: GROUPS_TEST,
      name: 'ends one connection when its handler throws, and handles the others',
    },
  },
  {
    name: 'a failed report of an error takes the group along',
    edits: [
      {
        file: GROUPS,
        from: 'if (begun < group.length) beginEach(group.slice(begun), begin);',
        to: '',
      },
    ],
    test: {
      file: GROUPS_TEST,
      name: 'handles the others, and later requests, also when the error can not be reported',
    },
  },
  {
    name: 'idle connections of a crowd kept as long as others',
    edits: [
      {
        file: 'service/src/server/limit-connections.ts',
        from: 'open > crowd ? CROWDED_KEEP_ALIVE_MS',
        to: 'open > crowd * 2 ? CROWDED_KEEP_ALIVE_MS',
      },
    ],
    test: {
      file: 'service/src/server/limit-connections.test.ts',
      name: 'has idle connections closed sooner while there is a crowd of them',
    },
  },
  {
    name: 'a request that names a media type and has no body waits for one',
    edits: [
      {
        file: 'service/src/request/body/validation.ts',
        from: 'payload.readableEnded ? Readable.from([]) : payload',
        to: 'payload',
      },
    ],
    test: {
      file: 'service/test/e2e/hostile.test.ts',
      name: 'found by hostile requests > a request that names a media type and has no body is answered: DELETE /api/v1/token',
    },
  },
  {
    name: 'a start that has waited too long is begun',
    edits: [
      {
        file: 'service/src/server/request-groups.ts',
        from: 'queued.oldest.readAt > lateBefore',
        to: 'queued.oldest.readAt > 0',
      },
    ],
    test: {
      file: 'service/src/server/next-requests.test.ts',
      name: 'takes starts that have waited too long besides the group, and no other requests',
    },
  },
  {
    name: 'a connection gives all of its requests before the others have their turn',
    edits: [
      {
        file: 'service/src/server/request-groups.ts',
        from: '    turns.delete(queued);\n',
        to: '    if (behind.length === 0) turns.delete(queued);\n',
      },
    ],
    test: {
      file: 'service/src/server/next-requests.test.ts',
      name: 'has a request wait for one of each other connection, however many those have sent',
    },
  },
  {
    name: 'a start is admitted however long others take in the store',
    edits: [
      {
        file: 'service/src/attempt/start/start-attempt.flow.ts',
        from: 'return now - oldest >= STORE_LATE_MS;',
        to: 'return now < oldest;',
      },
    ],
    test: {
      file: 'service/test/api/overload.test.ts',
      name: 'refuses a start early while starts take long in the store, and nothing that was begun',
    },
  },
];
