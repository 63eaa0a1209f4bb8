import { expect, it } from 'vitest';
import { parseTraceParent } from './trace-parent.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

it.each([
  ['sampled', `00-${TRACE}-${SPAN}-01`, true],
  ['not sampled', `00-${TRACE}-${SPAN}-00`, false],
  ['other flags', `00-${TRACE}-${SPAN}-03`, true],
  ['a later version with more members', `01-${TRACE}-${SPAN}-01-more`, true],
])('reads a header: %s', (_, header, isSampled) => {
  expect(parseTraceParent(header)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled });
});

it.each([
  undefined,
  '',
  'x',
  `00-${TRACE}-${SPAN}`,
  `ff-${TRACE}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-01-more`,
  ` 00-${TRACE}-${SPAN}-01`,
])('takes no other text: %s', (header) => {
  expect(parseTraceParent(header)).toBeNull();
});
