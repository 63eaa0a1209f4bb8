import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { keptHeaders, REQUEST_HEADERS } from './kept-headers.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const REQUESTS = 2000;
const BYTES = 15_000;

it('a header that was cut needs no memory for the rest', () => {
  collect();
  const before = process.memoryUsage().heapUsed;
  const kept = Array.from({ length: REQUESTS }, (_, at) =>
    // As a connection gives it: a text of its own.
    keptHeaders(
      { 'user-agent': Buffer.alloc(BYTES, `agent ${at} `).toString('latin1') },
      REQUEST_HEADERS,
    ),
  );
  collect();
  const bytes = (process.memoryUsage().heapUsed - before) / kept.length;
  expect(kept[7]?.['user-agent']).toHaveLength(1024);
  expect(bytes).toBeLessThan(BYTES / 2);
});
