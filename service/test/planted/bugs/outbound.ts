import type { PlantedBug } from '../support/planted-bug.ts';

const OUTBOUND = 'service/src/outbound/outbound.ts';
const RULES = 'service/src/outbound/rules.ts';
const THREATS = 'service/test/threats/outbound.test.ts';
const UNCALLED = 'service/test/live/uncalled.test.ts';
const INSIDE = 'threat 130: an address of a client that leads inside';

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
        from: 'import { buildConnector, Client, request as send }',
        to: 'import { buildConnector, Client, interceptors, request as send }',
      },
      {
        file: OUTBOUND,
        from: '...sent, dispatcher, signal }',
        to:
          '...sent, signal, ' +
          'dispatcher: dispatcher.compose(interceptors.redirect({ maxRedirections: 1 })) }',
      },
    ],
    test: { file: THREATS, name: `${INSIDE} > is not reached by a redirect: 307` },
  },
  {
    name: 'outbound: an answer is read to its end',
    edits: [{ file: OUTBOUND, from: 'maxResponseSize: ANSWER_BYTES', to: 'maxResponseSize: -1' }],
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
        from: "  signal.addEventListener('abort', () => void dispatcher.destroy(), { once: true });\n",
        to: '',
      },
      { file: OUTBOUND, from: '  } finally {\n    void dispatcher.destroy();\n  }\n', to: '  }\n' },
      { file: OUTBOUND, from: '  signal.throwIfAborted();\n', to: '' },
    ],
    test: {
      file: THREATS,
      name:
        'threat 130: an answer of a client > ' +
        'that does not come, or comes slowly, is not waited for',
    },
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
