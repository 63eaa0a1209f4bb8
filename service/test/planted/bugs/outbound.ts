import type { PlantedBug } from '../support/planted-bug.ts';

const OUTBOUND = 'service/src/outbound/outbound.ts';
const CONNECTIONS = 'service/src/outbound/connections.ts';
const RULES = 'service/src/outbound/rules.ts';
const THREATS = 'service/test/threats/outbound.test.ts';
const UNCALLED = 'service/test/live/uncalled.test.ts';
const KEPT = 'service/test/threats/kept-connections.test.ts';
const INSIDE = 'threat 130: an address of a client that leads inside';

const ANSWER = 'threat 145: an answer on a kept connection';
const CONNECTION = 'threat 145: a kept connection';
const ONE_AT_A_TIME = `${CONNECTION} > holds up nothing of a receiver that serves one connection at a time`;

/** Of calls to hosts of clients. */
export const OUTBOUND_BUGS: readonly PlantedBug[] = [
  {
    name: 'outbound: this machine may be called',
    edits: [
      {
        file: RULES,
        from: 'if (mayCallItself && isLoopbackAddress(address)) return true;',
        to: 'if (isLoopbackAddress(address)) return true;',
      },
    ],
    test: { file: THREATS, name: `${INSIDE} > is refused: https://[::ffff:7f00:1]` },
  },
  {
    name: 'outbound: a name is looked up again after it was checked',
    edits: [
      {
        file: OUTBOUND,
        from: 'all === true ? answer(null, found) : answer(null, address, familyOf(address)),',
        to:
          'void parts.lookUp(_name, signal).then(([again = address]) => ' +
          'answer(null, [{ address: again, family: familyOf(again) }])),',
      },
    ],
    test: {
      file: THREATS,
      name: `${INSIDE} > is not reached by a name that leads elsewhere after it was checked`,
    },
  },
  {
    name: 'outbound: a name that leads to a public address may lead to others too',
    edits: [
      {
        file: OUTBOUND,
        from: 'return [first, ...others];',
        to: 'return found.length > 0 ? [found[0] ?? first, ...found.slice(1)] : [first, ...others];',
      },
    ],
    test: { file: THREATS, name: `${INSIDE} > is left out where a name leads to several` },
  },
  {
    name: 'outbound: a redirect is followed',
    edits: [
      {
        file: OUTBOUND,
        from: 'import { buildConnector, request as send }',
        to: 'import { buildConnector, interceptors, request as send }',
      },
      {
        file: OUTBOUND,
        from: 'dispatcher: on.client, signal }',
        to: 'signal, dispatcher: on.client.compose(interceptors.redirect({ maxRedirections: 1 })) }',
      },
    ],
    test: { file: THREATS, name: `${INSIDE} > is not reached by a redirect: 307` },
  },
  {
    name: 'outbound: an answer is read to its end',
    edits: [
      { file: CONNECTIONS, from: 'maxResponseSize: ANSWER_BYTES', to: 'maxResponseSize: -1' },
    ],
    test: {
      file: THREATS,
      name: 'threat 130: an answer of a client > of 64 KB is read, and not a byte more',
    },
  },
  {
    name: 'outbound: plain http is taken in live mode',
    edits: [
      {
        file: RULES,
        from: "protocol === 'http:' && rules.mayCallItself",
        to: "protocol === 'http:' || rules.mayCallItself",
      },
    ],
    test: {
      file: THREATS,
      name: 'threat 130: an address of a client that is no https > is refused: http://127.0.0.2/',
    },
  },
  {
    name: 'outbound: any number of calls is under way',
    edits: [{ file: OUTBOUND, from: 'underWay < MOST_AT_ONCE', to: 'underWay >= 0' }],
    test: {
      file: THREATS,
      name: 'threat 130: an answer of a client > is waited for by a number of calls that is limited, for each host and in all',
    },
  },
  {
    name: 'outbound: one host takes all places',
    edits: [
      { file: OUTBOUND, from: 'underWayTo(host) < MOST_OF_HOST', to: 'underWayTo(host) >= 0' },
    ],
    test: {
      file: THREATS,
      name:
        'threat 130: an answer of a client > ' +
        'is waited for by a number of calls that is limited, for each host and in all',
    },
  },
  {
    name: 'outbound: a call is made again after its time',
    edits: [
      {
        file: OUTBOUND,
        from: "  signal.addEventListener('abort', end, { once: true });\n",
        to: '',
      },
      {
        file: CONNECTIONS,
        from: '      return connection.end();\n    }\n    const [next]',
        to: '      return;\n    }\n    const [next]',
      },
      { file: OUTBOUND, from: '  signal.throwIfAborted();\n', to: '' },
      { file: CONNECTIONS, from: '      this.end();\n      onEnd();', to: '      onEnd();' },
    ],
    test: {
      file: THREATS,
      name:
        'threat 130: an answer of a client > ' +
        'that does not come, or comes slowly, is not waited for',
    },
  },
  {
    name: 'outbound: what comes without a call is taken for an answer',
    edits: [{ file: CONNECTIONS, from: 'this.isSilent && this.#age', to: 'this.#age' }],
    test: {
      file: KEPT,
      name: `${ANSWER} > with bytes that come later, while nobody has asked, ends the connection`,
    },
  },
  {
    name: 'outbound: receivers share a connection',
    edits: [
      {
        file: CONNECTIONS,
        from: 'find((one) => one.owner === owner)',
        to: "find(() => owner !== '')",
      },
    ],
    test: {
      file: KEPT,
      name: `${CONNECTION} > is that of one receiver of one client, and of calls that may be kept`,
    },
  },
  {
    name: 'outbound: a connection is kept for ever',
    edits: [{ file: CONNECTIONS, from: 'this.#age?.aborted === false', to: 'this.#age !== null' }],
    test: {
      file: KEPT,
      name: `${CONNECTION} > leads to the address that was checked, and after its time the name is looked up again`,
    },
  },
  {
    name: 'outbound: any number of connections is kept',
    edits: [
      {
        file: CONNECTIONS,
        from: 'this.#idle.size > room',
        to: 'this.#idle.size > room + 1000',
      },
    ],
    test: { file: KEPT, name: `${CONNECTION} > is one of its host, and of few in all` },
  },
  {
    name: 'outbound: a connection is kept while others wait behind it',
    edits: [{ file: CONNECTIONS, from: 'isSound && !isCalled', to: 'isSound' }],
    test: { file: KEPT, name: ONE_AT_A_TIME },
  },
  {
    name: 'outbound: a new connection leaves what is kept to its host',
    edits: [{ file: CONNECTIONS, from: 'one.host === options.host', to: "one.host === ''" }],
    test: { file: KEPT, name: ONE_AT_A_TIME },
  },
  {
    name: 'outbound: a connection is kept where calls fail by it',
    edits: [{ file: CONNECTIONS, from: ' && this.#apart.get(owner)?.aborted !== false', to: '' }],
    test: {
      file: KEPT,
      name: `${CONNECTION} > is the last where a call has failed by it`,
    },
  },
  {
    name: 'outbound: a call waits for no connection that is in use',
    edits: [{ file: CONNECTIONS, from: 'one.owner === owner && one.hasAnswered', to: '!one.host' }],
    test: {
      file: KEPT,
      name: `${CONNECTION} > is waited for by the next call, where it has answered before`,
    },
  },
  {
    name: 'outbound: a connection is kept after a failure',
    edits: [{ file: OUTBOUND, from: 'status >= 200 && status < 300', to: 'status >= 200' }],
    test: {
      file: KEPT,
      name: `${ANSWER} > by which the call has failed ends it: HTTP/1.1 503 Busy`,
    },
  },
  {
    name: 'outbound: a connection that the host has ended costs a try',
    edits: [{ file: OUTBOUND, from: 'isLost && kept.isSilent', to: 'isLost && !kept.isSilent' }],
    test: { file: KEPT, name: `${CONNECTION} > that the receiver has ended costs no try` },
  },
  {
    name: 'outbound: a part of an answer is passed over',
    edits: [{ file: OUTBOUND, from: 'isLost && kept.isSilent', to: 'isLost' }],
    test: {
      file: KEPT,
      name: `${CONNECTION} > is tried once more, and not where a part of an answer has come`,
    },
  },
  {
    name: 'outbound: a stop leaves connections',
    edits: [{ file: CONNECTIONS, from: '!isCalled && !this.#isClosed', to: '!isCalled' }],
    test: { file: KEPT, name: `${CONNECTION} > is one of its host, and of few in all` },
  },
  {
    name: 'outbound: a reload takes an address that is never called',
    edits: [
      {
        file: 'service/src/program/mode.ts',
        from: '    refuseUncalled(config, { was: clients.all(), next });\n',
        to: '',
      },
    ],
    test: { file: UNCALLED, name: 'a reload that brings one changes nothing' },
  },
  {
    name: 'outbound: client add takes an address that is never called',
    edits: [
      {
        file: 'service/src/program/operator.ts',
        from: 'if (config !== null) refuseUncalled(config, edited);',
        to: 'if (config !== null) uncalledBy(config, edited.next);',
      },
      {
        file: 'service/src/program/operator.ts',
        from: '  tellReceivers,\n',
        to: '  tellReceivers,\n  uncalledBy,\n',
      },
    ],
    test: {
      file: UNCALLED,
      name: 'a ping by http is refused by client add, which shows no key',
    },
  },
];
