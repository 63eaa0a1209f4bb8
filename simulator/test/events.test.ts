import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { outcomeId } from '../src/engine/people/national-id.ts';
import { MovableTime } from '../src/platform/movable-time.ts';
import { systemTimer } from '../src/platform/platform.ts';
import { decisionCall, makeApp, pushCall, type AppBench } from './support/apps.ts';
import { AMAL, REQUEST_ID, STRANGER } from './support/engines.ts';
import { FakeClock } from './support/fakes.ts';

type Options = Parameters<typeof makeApp>[0];

interface News {
  readonly now: string;
  readonly all?: boolean;
  readonly data: readonly {
    readonly id: string;
    readonly national_id: string | null;
    readonly state?: string;
    readonly entries?: number;
  }[];
}

interface Listening extends AppBench {
  readonly address: string;
}

const open: AppBench[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ app }) => app.close()));
});

async function listen(options: Options = {}): Promise<Listening> {
  const bench = makeApp({ timer: systemTimer, ...options });
  open.push(bench);
  await bench.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = bench.app.server.address() as AddressInfo;
  return { ...bench, address: `http://127.0.0.1:${port}/simulator/events` };
}

const sendPush = ({ app }: AppBench) =>
  app.inject(pushCall({ nationalId: AMAL, service: 'Login' }));

const ATTEMPT_A = { local: 'ar', requestId: 'a' } as const;

interface Imported {
  readonly data: { readonly id: string };
}

/** The file of an attempt that has begun. */
async function exported(bench: AppBench): Promise<object> {
  await bench.app.inject(pushCall({ nationalId: AMAL, service: 'Login' }, ATTEMPT_A));
  return (await bench.app.inject('/simulator/attempts/a/export')).json<object>();
}

interface SentEvent {
  readonly name: string;
  readonly data: News;
}

/** The events of a stream, one after the other. */
async function* eventsOf(
  address: string,
  headers: Record<string, string> = {},
): AsyncGenerator<SentEvent, void> {
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const { body } = await fetch(address, { headers, signal: leaving.signal });
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body ?? []) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, name, data] = /^event: (\w+)\ndata: (.+)$/.exec(block) ?? [];
      if (name !== undefined && data !== undefined) yield { name, data: JSON.parse(data) as News };
    }
  }
}

/** Those about prompts. */
async function* newsOf(
  address: string,
  headers: Record<string, string> = {},
): AsyncGenerator<News, void> {
  for await (const { data } of eventsOf(address, headers)) yield data;
}

async function nextOf(news: AsyncGenerator<News, void>): Promise<News> {
  const { value } = await news.next();
  if (value === undefined) throw new Error('the stream has ended');
  return value;
}

const next = async (news: AsyncGenerator<News, void>) => (await nextOf(news)).data;

/** Events of both names, one after the other. */
async function nextEvents(events: AsyncGenerator<SentEvent, void>, count: number) {
  const found: SentEvent[] = [];
  while (found.length < count) {
    const { value } = await events.next();
    if (value === undefined) throw new Error('the stream has ended');
    found.push(value);
  }
  return found;
}

const told = (events: readonly SentEvent[]) =>
  events.map(({ name, data }) => {
    const rows = data.data.map((row) => `${row.id} ${row.state ?? ''} ${row.entries ?? ''}`.trim());
    return `${name}${data.all === true ? ' (all)' : ''}: ${rows.join(', ')}`;
  });

describe('GET /simulator/events?attempts=yes', () => {
  it('says which attempts there are, and then those that have changed', async () => {
    const bench = await listen();
    await bench.app.inject(
      pushCall({ nationalId: AMAL, service: 'Login' }, { local: 'ar', requestId: 'a' }),
    );
    const [prompt] = bench.engine.prompts();
    const events = eventsOf(`${bench.address}?attempts=yes`);
    expect(told(await nextEvents(events, 2))).toEqual([
      `prompts: ${prompt?.id}`,
      'attempts (all): a pending 2',
    ]);
    await bench.app.inject(decisionCall(prompt?.id ?? '', { decision: 'approve' }));
    expect(told(await nextEvents(events, 2))).toEqual(['prompts: ', 'attempts: a authenticated 3']);
  });

  it('says that there are none', async () => {
    const { address } = await listen();
    const events = eventsOf(`${address}?attempts=yes`);
    expect(told(await nextEvents(events, 2))).toEqual(['prompts: ', 'attempts (all): ']);
  });

  it('tells of an old attempt when something happens to it', async () => {
    const bench = await listen();
    const sign = (requestId: string) =>
      bench.app.inject({
        ...pushCall({ nationalId: STRANGER, service: 'Login' }, { local: 'ar', requestId }),
      });
    for (let id = 0; id <= 200; id += 1) await sign(`r${id}`);
    const events = eventsOf(`${bench.address}?attempts=yes`);
    const [, all] = await nextEvents(events, 2);
    expect(all?.data.data).toHaveLength(200);
    await sign('r0');
    expect(told(await nextEvents(events, 1))).toEqual(['attempts: r0 failed 2']);
  });

  it('tells of what a phone does by itself at its time, although nobody asks', async () => {
    const time = new MovableTime(new FakeClock(), systemTimer);
    const bench = await listen({ time, engineParts: { clock: time.provider } });
    const call = pushCall({ nationalId: outcomeId(2), service: 'Login' }, ATTEMPT_A);
    await bench.app.inject(call);
    const events = eventsOf(`${bench.address}?attempts=yes`);
    expect(told(await nextEvents(events, 2))[1]).toBe('attempts (all): a pending 2');
    await time.move({ advance: 3000 });
    expect(told(await nextEvents(events, 2))[1]).toBe('attempts: a authenticated 3');
    const line = await bench.app.inject('/simulator/attempts/a');
    const { data } = line.json<{ data: { entries: readonly object[] } }>();
    expect(data.entries[2]).toMatchObject({ number: 3, act: { by: 'outcome' } });
  });

  it('names all again when some have gone by a reset', async () => {
    const bench = await listen();
    const file = await exported(bench);
    const events = eventsOf(`${bench.address}?attempts=yes`);
    expect(told(await nextEvents(events, 2))[1]).toMatch(/^attempts \(all\): \S+ pending 2$/);
    const url = '/simulator/import';
    const row = (await bench.app.inject({ method: 'POST', url, payload: file })).json<Imported>();
    expect(told(await nextEvents(events, 1))).toEqual([`attempts: ${row.data.id} pending 2`]);
    await bench.app.inject({ method: 'POST', url: '/simulator/reset', payload: {} });
    expect(told(await nextEvents(events, 2))).toEqual(['prompts: ', 'attempts (all): ']);
  });

  it('names all again when a newer file has taken the place of an older one', async () => {
    const bench = await listen();
    const file = await exported(bench);
    await bench.app.inject({ method: 'POST', url: '/simulator/reset', payload: {} });
    const again = () =>
      bench.app.inject({ method: 'POST', url: '/simulator/import', payload: file });
    for (let count = 0; count < 20; count += 1) await again();
    const events = eventsOf(`${bench.address}?attempts=yes`);
    await nextEvents(events, 2);
    await again();
    const [news] = await nextEvents(events, 1);
    expect(news?.data).toMatchObject({ all: true, data: { length: 20 } });
  });

  it('does not take the older ones for gone when newer ones begin', async () => {
    const bench = await listen();
    const sign = (requestId: string) =>
      bench.app.inject(
        pushCall({ nationalId: STRANGER, service: 'Login' }, { local: 'ar', requestId }),
      );
    for (let id = 0; id < 200; id += 1) await sign(`r${id}`);
    const events = eventsOf(`${bench.address}?attempts=yes`);
    await nextEvents(events, 2);
    await sign('r200');
    expect(told(await nextEvents(events, 1))).toEqual(['attempts: r200 failed 1']);
  });

  it('tells each scope of its own attempts', async () => {
    const bench = await listen();
    await sendPush(bench);
    const events = eventsOf(`${bench.address}?attempts=yes`, { 'x-miftah-scope': 'ours' });
    expect(told(await nextEvents(events, 2))).toEqual(['prompts: ', 'attempts (all): ']);
  });

  it('tells nobody who has not asked', async () => {
    const bench = await listen();
    const events = eventsOf(bench.address);
    await nextEvents(events, 1);
    await sendPush(bench);
    expect((await nextEvents(events, 1)).map(({ name }) => name)).toEqual(['prompts']);
  });
});

describe('GET /simulator/events', () => {
  it('says what waits, at once and after each change', async () => {
    const bench = await listen();
    const news = newsOf(bench.address);
    expect(await next(news)).toEqual([]);
    await sendPush(bench);
    const [prompt] = await next(news);
    expect(prompt).toMatchObject({ national_id: AMAL, request_id: REQUEST_ID });
    await bench.app.inject(decisionCall(prompt?.id ?? '', { decision: 'approve' }));
    expect(await next(news)).toEqual([]);
    expect(await next(newsOf(bench.address))).toEqual([]);
  });

  it('says it again when the clock was moved', async () => {
    const time = new MovableTime(new FakeClock(), systemTimer);
    const bench = await listen({ time, engineParts: { clock: time.provider } });
    const news = newsOf(bench.address);
    await next(news);
    await time.move({ advance: 90_000 });
    expect((await nextOf(news)).now).toBe('2026-01-31T09:06:30+00:00');
  });

  it('tells each scope of its own prompts', async () => {
    const bench = await listen();
    const ours = newsOf(bench.address, { 'x-miftah-scope': 'ours' });
    const usual = newsOf(bench.address);
    expect([await next(ours), await next(usual)]).toEqual([[], []]);
    await sendPush(bench);
    expect(await next(usual)).toHaveLength(1);
    await bench.app.inject(pushCall({ nationalId: AMAL, service: 'Login' }));
    const again = newsOf(bench.address, { 'x-miftah-scope': 'ours' });
    expect(await next(again)).toEqual([]);
  });

  it.each([
    [{ 'x-miftah-scope': 'No Scope' }, 422, 'validation.failed'],
    [{ origin: 'https://elsewhere.example.test' }, 403, 'simulator.foreign_origin'],
    [{ 'sec-fetch-site': 'cross-site' }, 403, 'simulator.foreign_origin'],
  ])('is refused with %o', async (headers, status, code) => {
    const { address } = await listen();
    const answer = await fetch(address, { headers });
    expect([answer.status, await answer.json()]).toMatchObject([status, { code }]);
  });

  it('asks for the token', async () => {
    const { address } = await listen({ control: { publicUrl: 'http://a', token: 'x'.repeat(32) } });
    expect((await fetch(address)).status).toBe(401);
    const headers = { authorization: `Bearer ${'x'.repeat(32)}` };
    expect(await next(newsOf(address, headers))).toEqual([]);
  });

  it('has twenty places for an address, and a place is free when its reader has left', async () => {
    const { address } = await listen();
    const leaving = new AbortController();
    const readers = Array.from({ length: 20 }, () => fetch(address, { signal: leaving.signal }));
    await Promise.all(readers);
    const refused = await fetch(address, { signal: leaving.signal });
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ code: 'stream.limit_reached' });
    leaving.abort();
    await expect.poll(async () => (await tryOnce(address)).status).toBe(200);
  });

  it('has an answer of what is now, which takes no place', async () => {
    const bench = await listen();
    await sendPush(bench);
    const leaving = new AbortController();
    onTestFinished(() => leaving.abort());
    const streams = Array.from({ length: 20 }, () =>
      fetch(bench.address, { signal: leaving.signal }),
    );
    await Promise.all(streams);
    const once = await Array.fromAsync(eventsOf(`${bench.address}?once=yes`));
    expect(once.map(({ name, data }) => [name, data.data.length])).toEqual([['prompts', 1]]);
    const both = await Array.fromAsync(eventsOf(`${bench.address}?attempts=yes&once=yes`));
    expect(both.map(({ name }) => name)).toEqual(['prompts', 'attempts']);
  });

  it('ends with the program', async () => {
    const bench = await listen();
    const news = newsOf(bench.address);
    await next(news);
    await bench.app.close();
    expect((await news.next()).done).toBe(true);
  });

  it('has no answer to HEAD, which would not end', async () => {
    const { app } = await listen();
    expect((await app.inject({ method: 'HEAD', url: '/simulator/events' })).statusCode).toBe(405);
  });
});

async function tryOnce(address: string): Promise<Response> {
  const leaving = new AbortController();
  const answer = await fetch(address, { signal: leaving.signal });
  leaving.abort();
  return answer;
}
