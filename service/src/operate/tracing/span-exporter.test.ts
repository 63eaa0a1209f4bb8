import { afterEach, expect, it, vi } from 'vitest';
import type { FinishedSpan } from './otlp.ts';
import { SpanExporter } from './span-exporter.ts';

const SPAN: FinishedSpan = {
  traceId: 'a'.repeat(32),
  spanId: 'b'.repeat(16),
  parentSpanId: null,
  name: 'GET /livez',
  kind: 'server',
  startedAt: 1_800_000_000_000.25,
  endedAt: 1_800_000_000_001.5,
  attributes: { 'http.route': '/livez', 'http.response.status_code': 200 },
  isError: false,
};

afterEach(() => vi.unstubAllGlobals());

/** An exporter whose timer the test moves, and the bodies that it has sent. */
function exporterTo(answer: () => Promise<Response>) {
  const bodies: string[] = [];
  const due: (() => void)[] = [];
  const lost: string[] = [];
  vi.stubGlobal('fetch', (_: string, { body }: { body: string }) => {
    bodies.push(body);
    return answer();
  });
  const exporter = new SpanExporter({
    url: 'http://collector.test/v1/traces',
    resource: { 'service.name': 'miftah' },
    timer: {
      after: (_, work) => {
        due.push(work);
        return () => undefined;
      },
    },
    onLost: (reason) => lost.push(reason),
  });
  return { exporter, bodies, lost, tick: () => due.shift()?.() };
}

const spansIn = (body = '{}') =>
  (
    JSON.parse(body) as {
      resourceSpans: { scopeSpans: { spans: Record<string, unknown>[] }[] }[];
    }
  ).resourceSpans[0]?.scopeSpans[0]?.spans ?? [];

it('sends spans in the form of OTLP, together after a while', async () => {
  const { exporter, bodies, tick } = exporterTo(async () => new Response());
  exporter.add(SPAN);
  exporter.add({ ...SPAN, parentSpanId: 'c'.repeat(16), isError: true });
  expect(bodies).toEqual([]);
  tick();
  await exporter.close();
  const [first, second] = spansIn(bodies[0]);
  expect(first).toEqual({
    traceId: SPAN.traceId,
    spanId: SPAN.spanId,
    name: 'GET /livez',
    kind: 2,
    startTimeUnixNano: '1800000000000250000',
    endTimeUnixNano: '1800000000001500000',
    attributes: [
      { key: 'http.route', value: { stringValue: '/livez' } },
      { key: 'http.response.status_code', value: { intValue: '200' } },
    ],
  });
  expect(second).toMatchObject({ parentSpanId: 'c'.repeat(16), status: { code: 2 } });
});

it('sends what is left when it is closed', async () => {
  const { exporter, bodies } = exporterTo(async () => new Response());
  for (let count = 0; count < 600; count += 1) exporter.add(SPAN);
  await exporter.close();
  expect(bodies.flatMap((body) => spansIn(body))).toHaveLength(600);
});

it('keeps a bounded number while the collector does not answer, and says once that some are lost', () => {
  const { exporter, bodies, lost } = exporterTo(() => new Promise(() => undefined));
  for (let count = 0; count < 5000; count += 1) exporter.add(SPAN);
  expect(bodies).toHaveLength(1);
  expect(lost).toEqual(['the collector is too slow']);
});

it('says nothing of the address when the collector is not there', async () => {
  const { exporter, lost } = exporterTo(() => Promise.reject(new Error('http://collector.test')));
  exporter.add(SPAN);
  await exporter.close();
  expect(lost).toEqual(['the collector can not be reached']);
});
