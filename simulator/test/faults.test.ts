/** What calls of area B meet after PUT /simulator/faults, over real connections. */
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { RECORDS } from '../src/engine/error-records.ts';
import { OPERATIONS, type Operation } from '../src/engine/outcomes/faults.ts';
import type { Timer } from '../src/platform/timer.ts';
import { makeApp, type AppBench } from './support/apps.ts';
import { AMAL, REQUEST_ID } from './support/engines.ts';
import { listed, put } from './support/faults.ts';

const JSON_BODY = { 'content-type': 'application/json' };
const CALLS: Readonly<Record<Operation, readonly [path: string, body: object | null]>> = {
  session: [`/stg/api/v2/oidc/session?locale=en&requestId=${REQUEST_ID}`, null],
  mfa_request: [
    `/stg/api/v1/mfa/request?local=en&requestId=${REQUEST_ID}`,
    { nationalId: AMAL, service: 'Login' },
  ],
  mfa_status: ['/stg/api/v1/mfa/request/status', {}],
  exchange: ['/stg/api/v2/oidc/jwt', {}],
  jwk: ['/stg/api/v1/mfa/jwk', null],
  token_valid: ['/stg/api/v2/oidc/jwt/valid', { id_token: 'x' }],
};

let bench: AppBench;
afterEach(() => bench.app.close());

/** A simulator with these faults. Each call that needs something of an earlier one finds it. */
async function open(faults: readonly object[], timer?: Timer) {
  bench = makeApp(timer === undefined ? {} : { timer });
  await bench.app.listen({ host: '127.0.0.1', port: 0 });
  const origin = `http://127.0.0.1:${(bench.app.server.address() as AddressInfo).port}`;
  const bodies = { mfa_status: sentPush(), exchange: approvedSession() };
  const set = await put(bench, { faults });
  expect(set.statusCode, set.body).toBe(200);
  return async (operation: Operation, headers: Record<string, string> = {}) => {
    const [path, fixed] = CALLS[operation];
    const body = operation in bodies ? bodies[operation as keyof typeof bodies] : fixed;
    const post = { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(origin + path, {
      ...(body === null ? {} : post),
      headers: { ...JSON_BODY, ...headers },
    });
    return {
      status: answer.status,
      type: answer.headers.get('content-type') ?? '',
      text: await answer.text(),
    };
  };
}

function sentPush(): object {
  const request = {
    requestId: REQUEST_ID,
    nationalId: AMAL,
    locale: 'en',
    service: 'Login',
  } as const;
  const push = bench.engine.createPush(request);
  if (!push.ok) throw new Error('no push');
  bench.engine.decide({ promptId: push.promptId, decision: 'approve' });
  return { nationalId: AMAL, transId: push.transactionId, random: push.bindingCode };
}

function approvedSession(): object {
  const { session, promptId } = bench.engine.createSession({ requestId: REQUEST_ID, locale: 'en' });
  bench.engine.decide({ promptId, decision: 'approve' });
  return { state: new URL(session.url).searchParams.get('state') };
}

const isJson = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe.each(OPERATIONS)('a call of %s', (operation) => {
  it('is answered as always beside a rule for others', async () => {
    const others = OPERATIONS.filter((one) => one !== operation);
    const call = await open(others.map((one) => ({ operation: one, status: 500 })));
    const answer = await call(operation);
    expect(answer.status, answer.text).toBe(200);
    expect(isJson(answer.text)).toBe(true);
  });

  it.each([
    [403, 'text/plain', 'Authentication failed'],
    [429, 'text/plain', 'Too Many Requests\n'],
    [500, 'text/plain', 'Internal Server Error\n'],
    [502, 'text/html', '<h1>Bad Gateway</h1>'],
    [503, 'text/html', '<h1>Service Unavailable</h1>'],
    [504, 'text/html', '<h1>Gateway Timeout</h1>'],
  ])('meets the status %i, and does nothing', async (status, type, text) => {
    const call = await open([{ operation, status, times: 1 }]);
    const prompts = bench.engine.prompts().length;
    const answer = await call(operation);
    expect(answer).toMatchObject({ status, type: expect.stringContaining(type) as string });
    expect(answer.text).toContain(text);
    expect(bench.engine.prompts()).toHaveLength(prompts);
    // Also an exchange is still possible.
    expect((await call(operation)).status).toBe(200);
  });

  it('meets an error record, each with its own reference', async () => {
    const call = await open([{ operation, record: '422-031-046' }]);
    const [one, other] = [await call(operation), await call(operation)];
    expect(one.status).toBe(422);
    const [record, next] = [one, other].map(
      ({ text }) => JSON.parse(text) as { reference: number },
    );
    expect(record).toMatchObject({ code: '422-031-046', message: RECORDS.invalidRequest.message });
    expect(next?.reference).toBeGreaterThan(record?.reference ?? Number.MAX_SAFE_INTEGER);
  });

  it('meets broken JSON that says it is JSON', async () => {
    const call = await open([{ operation, answer: 'malformed' }]);
    const answer = await call(operation);
    expect(answer).toMatchObject({ status: 200, type: 'application/json; charset=utf-8' });
    expect(answer.text).not.toBe('');
    expect(isJson(answer.text)).toBe(false);
  });

  it('meets the end of the connection, in the middle of its answer', async () => {
    const call = await open([{ operation, answer: 'cut', times: 1 }]);
    await expect(call(operation)).rejects.toThrow('terminated');
    expect((await call('jwk')).status).toBe(200);
  });

  it('meets an answer that is right and too late', async () => {
    const call = await open([{ operation, answer: 'timeout' }]);
    expect((await call(operation)).status).toBe(200);
    expect(bench.timer.waits).toEqual([10_000]);
  });

  it('meets a delay by the timer', async () => {
    const call = await open([{ operation, latency_ms: 300 }]);
    expect((await call(operation)).status).toBe(200);
    expect(bench.timer.waits).toEqual([300]);
  });
});

/** Waits until the test lets go, or the simulator closes. */
class HeldTimer implements Timer {
  readonly #asleep: (() => void)[] = [];
  aborted = 0;
  #onNext: (() => void) | null = null;

  elapsed(): number {
    return 0;
  }

  sleep(_ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => this.#abort(resolve), { once: true });
      this.#asleep.push(resolve);
      this.#onNext?.();
    });
  }

  async until(count: number): Promise<void> {
    while (this.#asleep.length < count) {
      await new Promise<void>((resolve) => (this.#onNext = resolve));
    }
  }

  #abort(wake: () => void): void {
    this.aborted += 1;
    wake();
  }

  release(): void {
    for (const wake of this.#asleep.splice(0)) wake();
  }
}

describe('faults', () => {
  it('come in the same order for the same seed, whoever asks', async () => {
    const rule = { operation: 'jwk', status: 503, rate: 0.5, seed: 1 };
    const call = await open([rule]);
    const statuses: number[] = [];
    for (let count = 0; count < 12; count += 1) statuses.push((await call('jwk')).status);
    const pattern = statuses.map((status) => (status === 200 ? '.' : 'x')).join('');
    expect(pattern).toBe('.x.xxxxx..x.');
    expect(await listed(bench)).toMatchObject([{ seen: 12, hits: 7 }]);
  });

  it('are counted right for callers at the same time', async () => {
    const call = await open([{ operation: 'jwk', status: 503, rate: 0.5, seed: 1 }]);
    const answers = await Promise.all(Array.from({ length: 24 }, () => call('jwk')));
    const hits = answers.filter(({ status }) => status === 503).length;
    expect(await listed(bench)).toMatchObject([{ seen: 24, hits }]);
    expect(hits).toBe('.x.xxxxx..x.....x..xx..x'.replaceAll('.', '').length);
  });

  it('hold up only the calls that they are for', async () => {
    const timer = new HeldTimer();
    const call = await open([{ operation: 'session', latency_ms: 9000 }], timer);
    const held = call('session');
    await timer.until(1);
    expect((await call('jwk')).status).toBe(200);
    timer.release();
    expect((await held).status).toBe(200);
  });

  it('that change while a call waits leave what was decided about it', async () => {
    const timer = new HeldTimer();
    const rules = [
      { operation: 'session', latency_ms: 9000 },
      { operation: 'session', status: 502 },
    ];
    const call = await open(rules, timer);
    const held = call('session');
    await timer.until(1);
    await put(bench, { faults: [{ operation: 'session', status: 403 }] });
    timer.release();
    expect((await held).status).toBe(502);
    expect((await call('session')).status).toBe(403);
    expect(await listed(bench)).toMatchObject([{ seen: 1, hits: 1 }]);
  });

  it('end their delays when the simulator closes', async () => {
    const timer = new HeldTimer();
    const call = await open([{ operation: 'any', latency_ms: 10_000 }], timer);
    const held = [call('session'), call('jwk')];
    await timer.until(2);
    const closing = bench.app.close();
    try {
      await expect.poll(() => timer.aborted).toBe(2);
    } finally {
      timer.release();
    }
    await closing;
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200]);
  });

  it('do not count a call that is refused for its form, nor one without credentials', async () => {
    await open([{ operation: 'any', status: 503 }]);
    const session = await bench.app.inject('/stg/api/v2/oidc/session?locale=fr&requestId=x');
    expect(session.statusCode).toBe(422);
    expect(await listed(bench)).toMatchObject([{ seen: 0 }]);
  });

  it('send a cut push once, and the person was asked', async () => {
    const call = await open([{ operation: 'mfa_request', answer: 'cut' }]);
    const before = bench.engine.prompts().length;
    await expect(call('mfa_request')).rejects.toThrow('terminated');
    expect(bench.engine.prompts()).toHaveLength(before + 1);
    expect(await listed(bench)).toMatchObject([{ seen: 1, hits: 1 }]);
  });

  it('never turn a refusal into anything else', async () => {
    const call = await open([{ operation: 'exchange', answer: 'malformed' }]);
    await call('exchange');
    const again = await call('exchange');
    expect(again.status).toBe(401);
    expect(again.text).toContain('"code":"401-033-024"');
  });

  it('of one scope are not met, seen or changed by another', async () => {
    const call = await open([{ operation: 'any', status: 500 }]);
    const other = { 'x-miftah-scope': 'other' };
    expect(await listed(bench, other)).toEqual([]);
    await put(bench, { faults: [{ operation: 'jwk', status: 403 }] }, other);
    expect(await listed(bench)).toMatchObject([{ operation: 'any', seen: 0 }]);
    expect((await call('jwk', other)).status).toBe(403);
    expect((await call('session', other)).status).toBe(200);
    expect((await call('session')).status).toBe(500);
    expect(await listed(bench, other)).toMatchObject([{ seen: 1, hits: 1 }]);
  });
});
