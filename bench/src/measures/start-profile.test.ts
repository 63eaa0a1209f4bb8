import { expect, it } from 'vitest';
import { partsOf } from './start-profile.ts';

const ROOT = 'file:///somewhere/miftah';

function node(id: number, url: string, functionName = '') {
  return { id, callFrame: { functionName, url } };
}

it('adds up where the time went, by library, by room and by part of Node', () => {
  const nodes = [
    node(1, '', '(program)'),
    node(2, `${ROOT}/node_modules/fastify/lib/route.js`),
    node(3, `${ROOT}/node_modules/@fastify/cors/index.js`),
    node(4, `${ROOT}/service/src/store/sql/stores/attempts.ts`),
    node(5, 'node:internal/modules/esm/loader'),
    node(6, '', '(idle)'),
    node(7, `${ROOT}/node_modules/fastify/lib/reply.js`),
  ];
  const profile = {
    nodes,
    samples: [1, 2, 3, 4, 5, 6, 7],
    timeDeltas: [1000, 4000, 2000, 3000, 500, 90_000, 4000],
    startTime: 0,
  };
  expect(partsOf(profile)).toEqual([
    { part: 'fastify', milliseconds: 8 },
    { part: 'service/src/store', milliseconds: 3 },
    { part: '@fastify/cors', milliseconds: 2 },
    { part: '(program)', milliseconds: 1 },
    { part: 'Node: internal/modules/esm', milliseconds: 0.5 },
  ]);
});
