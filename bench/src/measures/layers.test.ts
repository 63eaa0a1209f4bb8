import { expect, it } from 'vitest';
import { timesOf } from './cpu-profile.ts';
import { IDLE, layerOf, LAYERS } from './layers.ts';
import { layersOf } from './profile-requests.ts';

const ROOT = 'file:///somewhere/miftah';

function node(id: number, url: string, functionName = '', children: readonly number[] = []) {
  return { id, callFrame: { functionName, url }, children };
}

const NODES = [
  node(1, '', '(root)', [2, 3, 4, 5]),
  node(2, '', '(idle)'),
  node(3, '', '(garbage collector)'),
  node(4, `${ROOT}/service/src/store/sqlite/reader.ts`, 'get', [6, 7]),
  node(5, 'node:internal/stream_base_commons', 'writeGeneric', [8]),
  node(6, '', 'prepare'),
  node(7, 'node:buffer', 'toString'),
  node(8, '', 'writeUtf8String'),
];

it.each([
  ['node:internal/crypto/hash', LAYERS.digests],
  [`${ROOT}/service/src/platform/keys/vault.ts`, LAYERS.digests],
  ['node:_http_server', LAYERS.node],
  ['node:internal/worker', LAYERS.messages],
  [`${ROOT}/node_modules/fastify/lib/reply.js`, LAYERS.fastify],
  [`${ROOT}/node_modules/sonic-boom/index.js`, LAYERS.log],
  [`${ROOT}/service/src/request/record/log-request.ts`, LAYERS.log],
  [`${ROOT}/service/src/request/answer/present.ts`, LAYERS.http],
  [`${ROOT}/service/src/attempt/read-attempt.flow.ts`, LAYERS.flow],
  [`${ROOT}/simulator/src/engine/prompts/prompts.ts`, LAYERS.provider],
  [`${ROOT}/service/src/platform/runtime.ts`, LAYERS.other],
])('%s belongs to: %s', (url, layer) => expect(layerOf({ url, functionName: '' })).toBe(layer));

it('counts native functions and tools of Node with their caller', () => {
  const profile = { nodes: NODES, startTime: 0, samples: [4, 6, 7], timeDeltas: [10, 20, 30] };
  expect([...timesOf(profile, layerOf)]).toEqual([[LAYERS.store, 60]]);
});

it('counts only what happened in the spans', () => {
  const profile = { nodes: NODES, startTime: 100, samples: [3, 4, 5], timeDeltas: [10, 10, 10] };
  const spans = [
    { from: 105, to: 115 },
    { from: 125, to: 135 },
  ];
  expect([...timesOf(profile, layerOf, spans)]).toEqual([
    [LAYERS.collector, 10],
    [LAYERS.node, 10],
  ]);
});

it('divides the time of the thread by what was not idle', () => {
  const times = new Map([
    [IDLE, 900],
    [LAYERS.sending, 30],
    [LAYERS.store, 10],
  ]);
  expect(layersOf(times, 80)).toEqual({ [LAYERS.sending]: 60, [LAYERS.store]: 20 });
});
