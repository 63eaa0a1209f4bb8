/** GET and PUT /simulator/faults: what is taken, and what is refused. */
import { describe, expect, it } from 'vitest';
import { RULED_OPERATIONS, RULES_MAX } from '../src/engine/outcomes/faults.ts';
import { makeApp } from './support/apps.ts';
import { listed, put } from './support/faults.ts';

describe('GET and PUT /simulator/faults', () => {
  it('are none at first', async () => {
    expect(await listed(makeApp())).toEqual([]);
  });

  it('give back what was set, with the seed and the counts', async () => {
    const bench = makeApp();
    const faults = [
      { operation: 'mfa_request', status: 503, rate: 0.5, seed: 1 },
      { operation: 'any', latency_ms: { min: 5, max: 90 }, seed: 2 },
      { operation: 'session', latency_ms: 20, seed: 3, times: 4 },
      { operation: 'exchange', answer: 'cut', seed: 4 },
      { operation: 'mfa_status', record: '400-034-053', seed: 5 },
    ];
    const answer = await put(bench, { faults });
    expect(answer.statusCode, answer.body).toBe(200);
    const wanted = faults.map((rule) => ({ rate: 1, times: null, ...rule, seen: 0, hits: 0 }));
    expect(answer.json()).toEqual({ data: wanted });
    expect(await listed(bench)).toEqual(wanted);
  });

  it('choose a seed where none is given, and tell it', async () => {
    const bench = makeApp();
    await put(bench, { faults: [{ operation: 'jwk', status: 500, rate: 0.5 }] });
    const [row] = await listed(bench);
    expect(Number.isInteger(row?.['seed'])).toBe(true);
  });

  it('replace the list as a whole, and take none', async () => {
    const bench = makeApp();
    await put(bench, { faults: [{ operation: 'jwk', status: 500 }] });
    await put(bench, { faults: [{ operation: 'session', answer: 'malformed' }] });
    expect(await listed(bench)).toMatchObject([{ operation: 'session' }]);
    expect((await put(bench, { faults: [] })).json()).toEqual({ data: [] });
  });

  const RULE = { operation: 'session', status: 503 };
  const BAD: readonly (readonly [string, unknown])[] = [
    ['no list', {}],
    ['a list that is none', { faults: RULE }],
    ['an unknown member', { faults: [], more: 1 }],
    ['an unknown operation', { faults: [{ ...RULE, operation: 'callback' }] }],
    ['no operation', { faults: [{ status: 503 }] }],
    ['no fault', { faults: [{ operation: 'session' }] }],
    ['two faults', { faults: [{ ...RULE, answer: 'cut' }] }],
    ['another status', { faults: [{ ...RULE, status: 200 }] }],
    ['a status as text', { faults: [{ ...RULE, status: '503' }] }],
    ['another answer', { faults: [{ operation: 'session', answer: 'empty' }] }],
    [
      'a record of another operation',
      { faults: [{ operation: 'session', record: '422-016-023' }] },
    ],
    ['a record that does not exist', { faults: [{ operation: 'any', record: '999-999-999' }] }],
    ['a negative latency', { faults: [{ operation: 'any', latency_ms: -1 }] }],
    ['a latency for ever', { faults: [{ operation: 'any', latency_ms: 10_001 }] }],
    ['a range to for ever', { faults: [{ operation: 'any', latency_ms: { min: 0, max: 1e9 } }] }],
    ['a range backwards', { faults: [{ operation: 'any', latency_ms: { min: 2, max: 1 } }] }],
    ['half a range', { faults: [{ operation: 'any', latency_ms: { min: 2 } }] }],
    ['a rate over 1', { faults: [{ ...RULE, rate: 1.01 }] }],
    ['a negative rate', { faults: [{ ...RULE, rate: -0.1 }] }],
    ['a seed with a fraction', { faults: [{ ...RULE, seed: 1.5 }] }],
    ['a seed that is too large', { faults: [{ ...RULE, seed: 2 ** 32 }] }],
    ['no times', { faults: [{ ...RULE, times: 0 }] }],
    ['too many rules', { faults: Array.from({ length: RULES_MAX + 1 }, () => RULE) }],
    ['one bad rule among good ones', { faults: [RULE, { ...RULE, rate: 2 }] }],
  ];

  it.each(BAD)('refuse %s, say what is allowed, and keep what was set', async (_what, body) => {
    const bench = makeApp();
    await put(bench, { faults: [{ operation: 'jwk', status: 500, seed: 6 }] });
    const before = await listed(bench);
    const answer = await put(bench, body);
    expect(answer.statusCode).toBe(422);
    const { code, message } = answer.json<{ code: string; message: string }>();
    expect(code).toBe('validation.failed');
    for (const name of [...RULED_OPERATIONS, '503', 'latency_ms', 'malformed', '0 to 10000']) {
      expect(message).toContain(name);
    }
    expect(await listed(bench)).toEqual(before);
  });

  it('take as many rules as are allowed', async () => {
    const bench = makeApp();
    const faults = Array.from({ length: RULES_MAX }, () => RULE);
    expect((await put(bench, { faults })).statusCode).toBe(200);
  });

  it.each([
    [{ origin: 'http://evil.example.test' }, 403],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ host: 'evil.example.test' }, 421],
  ])('are closed to the page of another site: %o', async (headers, status) => {
    const bench = makeApp();
    const answer = await put(bench, { faults: [RULE] }, { host: '127.0.0.1:4000', ...headers });
    expect(answer.statusCode).toBe(status);
    expect(await listed(bench)).toEqual([]);
  });
});
