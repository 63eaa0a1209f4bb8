import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { programFile } from '../../../scripts/program-files.ts';
import { stopLimits } from '../../src/server/stop.ts';
import { ApiClient, dataOf } from '../support/programs/api-client.ts';
import { checkHistory } from '../support/faults/check-history.ts';
import { checkStore } from '../support/faults/check-store.ts';
import { factsOfFile } from '../support/faults/store-facts.ts';
import { clientForTest, startServiceForTest } from '../support/programs/for-test.ts';
import { openBuilt } from '../support/live/live-service.ts';
import { holdRequest } from '../support/programs/held-request.ts';
import { History } from '../support/faults/history.ts';
import { chooseSeed, seededRandom } from '../support/faults/seeded-random.ts';
import type { ServiceProcess } from '../support/programs/service-process.ts';
import { until } from '../support/programs/until.ts';
import { openListening } from '../support/service/listening-service.ts';
import { runTraffic } from '../support/faults/traffic.ts';

const CLEAN = { code: 0, signal: null };
/** The promise to operators: the service ends within ten seconds after the signal. */
const STOP_LIMIT_MS = 10_000;
/** Long enough for some requests on a busy machine. */
const DRAIN_MS = 15_000;

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

describe.each(atLength(SIGNALS, SIGNALS.slice(0, 1)))('%s', (signal) => {
  it('lets the requests under way finish, also when it is delivered twice', async () => {
    const service = await startServiceForTest();
    const held = await Promise.all([1, 2, 3].map(() => holdRequest(service, { locale: 'ar' })));
    // As a Ctrl-C that the terminal and npm both pass on.
    service.signal(signal);
    service.signal(signal);
    await until(() => isRefusing(service));

    const attempts = await Promise.all(held.map((request) => request.finish()));
    expect(await service.exited).toEqual(CLEAN);
    expect(service.stderr()).toBe('');
    expect(lastLineOf(service)).toMatchObject({
      level: 30,
      msg: 'stopped',
      signal,
      drainMs: 0,
      cutOff: 0,
    });

    const client = clientForTest(await openListening({ dataDir: service.dataDir }));
    for (const attempt of attempts) {
      expect(dataOf(await client.status(attempt))).toMatchObject({ status: 'pending' });
    }
  });

  it('ends the service at once when it is repeated later', async () => {
    const service = await startServiceForTest({ settings: { DRAIN_TIME: '5m' } });
    await holdRequest(service, { locale: 'ar' });
    await until(() => {
      service.signal(signal);
      return !service.isRunning;
    });
    expect(await service.exited).toEqual({ code: 1, signal: null });
    expect(service.stderr()).toContain('it was told to stop twice');
  });
});

describe('a drain', () => {
  it('answers, says that it is not ready, and ends every connection with its answer', async () => {
    const settings = { DRAIN_TIME: `${DRAIN_MS / 1000}s` };
    const service = await startServiceForTest({ settings });
    const client = clientForTest(service);
    service.signal('SIGTERM');
    await until(async () => (await client.send('GET', '/readyz')).status === 503);
    const unready = await client.send('GET', '/readyz');
    const attempt = await client.post('/start', { locale: 'ar' });

    expect(unready.json).toMatchObject({ failed: [{ check: 'drain' }] });
    expect(attempt.status).toBe(200);
    expect([unready.headers['connection'], attempt.headers['connection']]).toEqual([
      'close',
      'close',
    ]);
    expect(await service.exited).toEqual(CLEAN);
    expect(service.stderr()).toBe('');
    const stopped = lastLineOf(service);
    expect(stopped).toMatchObject({ signal: 'SIGTERM', drainMs: DRAIN_MS, cutOff: 0 });
    expect(stopped.ms).toBeGreaterThanOrEqual(DRAIN_MS);
  });

  it('is left out at Ctrl-C: a person does not wait for load balancers', async () => {
    const service = await startServiceForTest({ settings: { DRAIN_TIME: '5m' } });
    service.signal('SIGINT');
    expect(await service.exited).toEqual(CLEAN);
  });
});

it('stops in the middle of traffic without losing an answer', async () => {
  const seed = chooseSeed();
  console.log(`stop: TEST_SEED=${seed}`);
  const history = new History();
  const service = await startServiceForTest();
  const traffic = runTraffic({
    origins: [service.origin],
    writers: 16,
    history,
    random: seededRandom(seed),
  });
  await until(() => history.answers > 200);
  expect(await service.stop()).toEqual(CLEAN);
  await traffic;
  expect(service.stderr()).toBe('');

  const again = await openListening({ dataDir: service.dataDir });
  await checkHistory({ clients: [clientForTest(again)], history }, history.attempts);
  checkStore(history, await factsOfFile(again.dataDir));
  expect(history.violations).toEqual([]);
});

/** A connection without a request is ended, and one with half a head is refused before the limit. */
const LINGERING = ['', 'GET /livez HTTP/1.1\r\nHost: loc'];
/** A head without its body, and half a body. */
const CUT_OFF = [head(40), `${head(40)}{"locale":`];

it('is gone within ten seconds, whatever is unfinished', async () => {
  // Each of these ends by itself. How long they take is that of the machine, up to the limit.
  expect(stopLimits(0).processMs).toBeLessThan(STOP_LIMIT_MS);
  const stopping = [stopAmongUnfinished(), stopAtSilentProvider(), stopWithoutEnd()];

  // A request that never ends was never acknowledged, so ending its connection is a clean stop.
  expect(Object.fromEntries(await Promise.all(stopping))).toEqual({
    'unfinished requests': 0,
    'a call to the provider': 0,
    'the close of the store': 1,
  });
});

interface Stopped {
  readonly msg: string;
  readonly ms: number;
}

const lastLineOf = (service: ServiceProcess) =>
  JSON.parse(service.stdout().trimEnd().split('\n').at(-1) ?? '') as Stopped;

async function stopAmongUnfinished() {
  const service = await startServiceForTest();
  for (const sent of [...LINGERING, ...CUT_OFF]) await openConnection(service, sent);
  const { code } = await service.stop();
  expect(lastLineOf(service)).toMatchObject({ msg: 'stopped', cutOff: CUT_OFF.length });
  return ['unfinished requests', code];
}

/** The call ends before the connection is cut off, so its request is answered. */
async function stopAtSilentProvider() {
  const { provider, bank, service } = await openBuilt();
  const start = () => bank.start({ return_address: 'https://bank.example.test/return' });
  // The client reads the description of the API with its first answer.
  expect((await start()).status).toBe(200);
  provider.answer('session', () => undefined);
  const before = provider.received('session').length;
  const answered = start();
  await until(() => provider.received('session').length > before);
  const { code } = await service.stop();
  expect(await answered).toMatchObject({ status: 504, code: 'provider.timeout' });
  return ['a call to the provider', code];
}

/** The process ends by force: what is acknowledged is on disk, and nothing else may be lost. */
async function stopWithoutEnd() {
  const service = await startServiceForTest({ main: programFile('never-closes') });
  const started = await clientForTest(service).start({ locale: 'ar' });
  const { code } = await service.stop();
  expect(service.stderr()).toContain('killed by timeout (9500ms)');
  const again = await openListening({ dataDir: service.dataDir });
  expect((await clientForTest(again).status(started)).status).toBe(200);
  return ['the close of the store', code];
}

it('answers what comes in while it leaves, and then closes the connection', async () => {
  const service = await startServiceForTest();
  const socket = await openConnection(service, `${head(15)}{"locale":`);
  service.signal('SIGTERM');
  await until(() => isRefusing(service));
  const said = text(socket);
  socket.write('"ar"}GET /api/v1/user HTTP/1.1\r\nHost: localhost\r\n\r\n');

  const [first = '', second = ''] = (await said).split(/(?=HTTP\/1\.1 )/);
  expect(first).toMatch(/^HTTP\/1\.1 200 /);
  expect(second).toMatch(/^HTTP\/1\.1 401 .*\r\nconnection: close\r\n.*token\.missing/is);
  expect(await service.exited).toEqual(CLEAN);
});

function head(length: number): string {
  return (
    'POST /api/v1/start HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n' +
    `Content-Length: ${length}\r\n\r\n`
  );
}

/**
 * The request has certainly arrived, because the service has answered an earlier one on this
 * connection.
 */
async function openConnection({ port }: ServiceProcess, sent: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(`GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n${sent}`);
  await once(socket, 'data');
  return socket;
}

/** The service refuses new connections, so it has received the signal. */
async function isRefusing(service: ServiceProcess): Promise<boolean> {
  const client = new ApiClient(service.origin);
  try {
    await client.send('GET', '/livez');
    return false;
  } catch {
    return true;
  } finally {
    client.close();
  }
}
