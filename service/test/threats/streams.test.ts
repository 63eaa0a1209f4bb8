import { once } from 'node:events';
import { get as httpGet, type ClientRequest, type IncomingMessage } from 'node:http';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { residentMemory } from '../support/attacks/unread/crowd.ts';
import type { Started } from '../support/programs/api-client.ts';
import { clientForTest, startServiceForTest } from '../support/programs/for-test.ts';
import { runMiftah } from '../support/programs/operator.ts';
import { openListening } from '../support/service/listening-service.ts';
import { WAIT_MS } from '../support/wait-ms.ts';

const SOON = { timeout: WAIT_MS, interval: 50 };
const MEGABYTE = 1024 * 1024;

interface Stream {
  readonly request: ClientRequest;
  readonly response: IncomingMessage;
}

async function open(
  { port }: { readonly port: number },
  { attempt_id, attempt_token }: Started,
  query = '',
): Promise<Stream> {
  const request = httpGet({
    host: '127.0.0.1',
    port,
    path: `/api/v1/status/${attempt_id}/events${query}`,
    headers: query === '' ? { 'x-provider-attempt-token': attempt_token } : {},
    agent: false,
  });
  request.on('error', () => undefined);
  onTestFinished(() => void request.destroy());
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  return { request, response };
}

async function textOf({ response }: Stream): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += String(chunk);
  return text;
}

describe('threat 76: event streams without number or end', () => {
  test('get no more places than there are, and keep no sign-in out', async () => {
    const settings = { WAITERS_MAX: '4', RATE_LIMITS: 'off' };
    const service = await openListening({ settings });
    const client = clientForTest(service);
    const attempts = await Promise.all(
      Array.from({ length: 5 }, () => client.start({ locale: 'en' })),
    );
    const streams: Stream[] = [];
    for (const attempt of attempts) streams.push(await open(service, attempt));
    // Three quarters of the places are for one address.
    expect(streams.map(({ response }) => response.statusCode)).toEqual([200, 200, 200, 429, 429]);
    expect((await client.start({ locale: 'en' })).attempt_id).toMatch(/^[0-9a-f-]{36}$/);
    streams[0]?.request.destroy();
    const [, , , fourth] = attempts;
    if (fourth === undefined) throw new Error('five were started');
    await vi.waitFor(async () => {
      expect((await open(service, fourth)).response.statusCode).toBe(200);
    }, SOON);
  });
});

describe('threat 77: the attempt token in the address of a stream', () => {
  test('is not taken, and is not in the log', async () => {
    const service = await openListening();
    const attempt = await clientForTest(service).start({ locale: 'en' });
    const query = `?attempt_token=${attempt.attempt_token}`;
    const { response } = await open(service, attempt, query);
    expect(response.statusCode).toBe(401);
    expect(service.log()).not.toContain(attempt.attempt_token);
  });
});

describe('threat 78: streams whose clients do not read', () => {
  test('cost little memory, and others are served', async () => {
    const service = await startServiceForTest({ settings: { RATE_LIMITS: 'off' } });
    const client = clientForTest(service);
    const attempts: Awaited<ReturnType<typeof client.start>>[] = [];
    // One after the other: of a crowd, a machine that is busy refuses the starts that come late.
    while (attempts.length < 150) attempts.push(await client.start({ locale: 'en' }));
    const before = await residentMemory(service.pid);
    const streams = await Promise.all(
      attempts.flatMap((attempt) => [open(service, attempt), open(service, attempt)]),
    );
    for (const { response } of streams) response.pause();
    expect((await client.send('GET', '/livez')).status).toBe(200);
    expect((await residentMemory(service.pid)) - before).toBeLessThan(64 * MEGABYTE);
  });
});

describe('threat 79: a stream that tells more, or longer, than the status would', () => {
  test('it ends with the attempt, and what comes after is 204', async () => {
    const service = await openListening();
    const client = clientForTest(service);
    const attempt = await client.start({ locale: 'en' });
    const stream = await open(service, attempt);
    const told = textOf(stream);
    await client.post('/callback', { state: attempt.attempt_id, auto_complete: true });
    expect((await told).match(/"status":"\w+"/g)).toEqual([
      '"status":"pending"',
      '"status":"authenticated"',
    ]);
    const again = httpGet({
      host: '127.0.0.1',
      port: service.port,
      path: `/api/v1/status/${attempt.attempt_id}/events`,
      headers: { 'x-provider-attempt-token': attempt.attempt_token, 'last-event-id': '2' },
      agent: false,
    });
    const [response] = (await once(again, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(204);
  });

  test('it tells what the status tells when its person was disabled meanwhile', async () => {
    const service = await openListening();
    const client = clientForTest(service);
    const signIn = async ({ attempt_id }: Started) =>
      client.post('/callback', { state: attempt_id, auto_complete: true });
    const earlier = await client.start({ locale: 'en' });
    await signIn(earlier);
    const { user } = await client.token(earlier);
    const attempt = await client.start({ locale: 'en' });
    const told = textOf(await open(service, attempt));
    const disabled = await runMiftah(['user', 'disable', String(user.id)], {
      DATA_DIR: service.dataDir,
    });
    expect(disabled.code, disabled.err).toBe(0);
    await signIn(attempt);
    const last = (await told).split('data: ').at(-1) ?? '';
    expect({ data: JSON.parse(last) as unknown }).toEqual((await client.status(attempt)).json);
    await expect(client.token(attempt)).rejects.toThrow('user.disabled');
  });
});
