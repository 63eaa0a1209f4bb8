import type { PlantedBug } from '../support/planted-bug.ts';

const WAITERS = 'service/src/attempt/status/status-waiters.flow.ts';
const WAITING = 'service/src/attempt/status/waiting.route.ts';
const REPORT = 'service/src/request/record/observe-requests.ts';
const PLACES_TEST = 'service/test/threats/waiting-places.test.ts';

/** Bugs in what bounds, ends and reports those who wait for the end of an attempt. */
export const WAITING_BUGS: readonly PlantedBug[] = [
  {
    name: 'no limit of those who wait for one client',
    edits: [
      {
        file: WAITERS,
        from: 'if ((this.#ofClient.get(client) ?? 0) >= ofClient)',
        to: 'if ((this.#ofClient.get(client) ?? 0) > ofClient + ofAddress)',
      },
    ],
    test: {
      file: PLACES_TEST,
      name: 'threat 81: a client or an address that takes all places of those who wait > one client leaves places to the others, and is told so',
    },
  },
  {
    name: 'no limit of those who wait from one address',
    edits: [
      {
        file: WAITERS,
        from: 'if ((this.#ofAddress.get(address) ?? 0) >= ofAddress)',
        to: 'if ((this.#ofAddress.get(address) ?? 0) > ofClient + ofAddress)',
      },
    ],
    test: {
      file: PLACES_TEST,
      name: 'threat 81: a client or an address that takes all places of those who wait > one address leaves places to the others, and is told so',
    },
  },
  {
    name: 'a client that left a stream is not reported',
    edits: [
      {
        file: WAITING,
        from: '    request.server.reportRequest(request, reply);\n',
        to: '',
      },
    ],
    test: {
      file: PLACES_TEST,
      name: 'threat 82: streams that are opened and left, of which nothing tells > each has one line when it is over, with its duration and why',
    },
  },
  {
    name: 'a wait that is reported twice',
    edits: [
      { file: REPORT, from: '      if (wait.isReported) return;\n', to: '' },
      {
        file: REPORT,
        from: '    report(request, reply);\n  };',
        to: '    report(request, reply);\n    if (wait !== null) report(request, reply);\n  };',
      },
    ],
    test: {
      file: PLACES_TEST,
      name: 'threat 82: streams that are opened and left, of which nothing tells > each has one line when it is over, with its duration and why',
    },
  },
  {
    name: 'reads without a sign that grow with those who wait',
    edits: [
      {
        file: WAITERS,
        from: '(this.#open / MOST_READS_A_SECOND) * SECOND_MS',
        to: '(this.#open / MOST_READS_A_SECOND / 1000) * SECOND_MS',
      },
    ],
    test: {
      file: 'service/src/attempt/status/status-waiters.flow.test.ts',
      name: 'all together read no more than two thousand times a second without a sign',
    },
  },
  {
    name: 'a stream with a body is admitted',
    edits: [
      {
        file: WAITING,
        from: 'if (coding === undefined && Number(length) === 0) return;',
        to: 'if (coding === undefined && Number(length) <= 16_384) return;',
      },
    ],
    test: {
      file: PLACES_TEST,
      name: 'threat 83: a stream whose request never ends > a stream with a body is refused at once: /events, Content-Length: 5',
    },
  },
];
