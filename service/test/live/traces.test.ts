import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '@miftah/contract';
import { openCollector, type Collector, type ReceivedSpan } from '../support/canaries/collector.ts';
import { BEHIND_PROXY } from '../support/attacks/crowd.ts';
import { LiveClient } from '../support/live/live-client.ts';
import { answerPush, logIn } from '../support/live/live-login.ts';
import { BANK_KEY, rehearse } from '../support/live/rehearsal.ts';
import { openTestService } from '../support/service/test-service.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const PARENT = `00-${TRACE}-${SPAN}-01`;

const attributesOf = ({ attributes }: ReceivedSpan) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
  );

function named(spans: readonly ReceivedSpan[], name: string): ReceivedSpan {
  const found = spans.find((span) => span.name === name);
  if (found === undefined) {
    throw new Error(`no ${name} among ${[...new Set(spans.map((span) => span.name))].join(', ')}`);
  }
  return found;
}

const below = (spans: readonly ReceivedSpan[], parent: ReceivedSpan) =>
  spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId).map(({ name }) => name);

/** Two sign-ins in live mode, and requests that carry secrets to the wrong places. */
async function tracedSignIns(collector: Collector): Promise<void> {
  const settings = { ...BEHIND_PROXY, OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin };
  await using rehearsal = await rehearse({ settings });
  const bank = new LiveClient(rehearsal, BANK_KEY);
  const token = await logIn(bank);
  await bank.user(token);
  const started = await bank.start({ national_id: '1000002201' }, { traceparent: PARENT });
  await answerPush(rehearsal, bank, started.data as never);
  await bank.get(`/status/${token}?token=${token}`, {});
  await bank.get(`/nothing/${token}`, {});
  await rehearsal.service.stop();
}

describe('traces', () => {
  it('lead from a request to the store and the provider, and name nobody', async () => {
    await using collector = await openCollector();
    await tracedSignIns(collector);
    const { spans } = collector;
    expect(new Set(collector.requests)).toEqual(new Set(['POST /v1/traces application/json']));

    const start = named(spans, 'POST /api/v1/start');
    expect(start.parentSpanId).toBeUndefined();
    expect(below(spans, start)).toEqual(
      expect.arrayContaining(['store insertAttempt', 'provider session', 'store openTransaction']),
    );
    expect(attributesOf(start)).toEqual({
      'http.request.method': 'POST',
      'http.route': '/api/v1/start',
      'http.response.status_code': 200,
      'miftah.request.id': expect.stringMatching(UUID) as unknown,
    });
    const back = spans.filter(({ name }) => name === 'GET /api/v1/callback');
    const names = back.flatMap((span) => below(spans, span));
    expect(names).toEqual(expect.arrayContaining(['provider exchange', 'store findByState']));
    expect(attributesOf(named(spans, 'provider exchange'))).toMatchObject({
      'miftah.provider.operation': 'exchange',
      'http.response.status_code': 200,
    });

    // Of a caller that is believed.
    const traced = spans.filter(({ traceId }) => traceId === TRACE);
    const root = named(traced, 'POST /api/v1/start');
    expect(root.parentSpanId).toBe(SPAN);
    expect(below(traced, root)).toContain('provider push');
    for (const span of spans) expectHarmless(span);
  });

  it('and the log lead to each other', async () => {
    await using collector = await openCollector();
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin };
    const service = await openTestService({ settings });
    const answer = await service.post('/start', { locale: 'en' });
    await service.close();
    const span = named(collector.spans, 'POST /api/v1/start');
    const id = answer.headers['x-request-id'];
    expect(attributesOf(span)['miftah.request.id']).toBe(id);
    const lines = service.logLines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.filter(({ reqId }) => reqId === id)).toMatchObject([
      { msg: 'request', traceId: span.traceId },
    ]);
  });

  it('do not follow a caller that is no trusted proxy', async () => {
    await using collector = await openCollector();
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin };
    const service = await openTestService({ settings });
    await service.post('/start', { locale: 'en' }, { traceparent: PARENT });
    await service.close();
    const start = named(collector.spans, 'POST /api/v1/start');
    expect(start.traceId).not.toBe(TRACE);
    expect(start.parentSpanId).toBeUndefined();
  });

  it('are sent for the share that is asked for, and a request goes on without them', async () => {
    await using collector = await openCollector();
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin, TRACES_RATIO: '0' };
    const service = await openTestService({ settings });
    expect((await service.post('/start', { locale: 'en' })).statusCode).toBe(200);
    await service.close();
    expect(collector.spans).toEqual([]);
  });

  it('are lost without harm when the collector refuses them, and the log says so once', async () => {
    await using collector = await openCollector();
    collector.answer = 503;
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin };
    const service = await openTestService({ settings });
    for (let count = 0; count < 3; count += 1) {
      expect((await service.post('/start', { locale: 'en' })).statusCode).toBe(200);
    }
    await service.close();
    const said = service.logLines.filter((line) => line.includes('traces are lost'));
    expect(said).toHaveLength(1);
    expect(said[0]).toContain('503');
  });
});

const isTracing = (file: string) => /(?:^|\/)tracing(?:\/|\.ts$)/.test(file);

it('nothing of tracing is loaded where no traces are sent', () => {
  const folder = join(import.meta.dirname, '../../src');
  const loaders = globSync('**/*.ts', { cwd: folder })
    .filter((file) => !isTracing(file) && !file.endsWith('.test.ts'))
    .filter((file) =>
      /^import (?!type)[^;]*tracing/m.test(readFileSync(join(folder, file), 'utf8')),
    );
  expect(loaders).toEqual([]);
});

const KEYS = new Set([
  'http.request.method',
  'http.route',
  'http.response.status_code',
  'miftah.request.id',
  'db.operation.name',
  'miftah.provider.operation',
  'error.type',
]);

/** Only patterns, names of operations, codes and numbers of HTTP. */
function expectHarmless(span: ReceivedSpan): void {
  const attributes = attributesOf(span);
  for (const [key, value] of Object.entries(attributes)) {
    expect([...KEYS], span.name).toContain(key);
    if (typeof value === 'number') expect(value).toBeLessThan(600);
    else if (key === 'miftah.request.id') expect(value).toMatch(UUID);
    else if (key === 'error.type') expect([...ERROR_CODES, 'unexpected']).toContain(value);
    else expect(value).toMatch(/^(?:unknown|[A-Za-z]+|(?:\/[a-z0-9:_.*-]*)+)$/);
  }
  expect(span.name).toMatch(/^(?:[A-Z]+|store|provider) [A-Za-z0-9/:_.*-]+$/);
  const { 'miftah.request.id': _, ...rest } = attributes;
  expect(JSON.stringify([span.name, rest])).not.toMatch(/[0-9a-f]{8}-|\d{4,}|\?/);
}
