import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { openTestService } from '../support/service/test-service.ts';
import { startServiceForTest } from '../support/programs/for-test.ts';
import { runHostileRequests } from '../support/attacks/hostile/hostile-run.ts';
import { RawConnection } from '../support/attacks/hostile/raw-connection.ts';
import { chooseSeed } from '../support/faults/seeded-random.ts';
import { WAIT_MS } from '../support/wait-ms.ts';

/** `npm run faults` makes 500,000. */
const REQUESTS = 6_000;

it(`answers ${REQUESTS} hostile requests in the words of the catalogue`, async () => {
  const seed = chooseSeed();
  const service = await startServiceForTest();
  const { faults, ...figures } = await runHostileRequests(service, REQUESTS, seed);
  console.log(`hostile, TEST_SEED=${seed}: ${JSON.stringify(figures)}`);

  expect(faults.slice(0, 10).join('\n\n')).toBe('');
  expect(service.isRunning).toBe(true);
  expect(await service.stop()).toEqual({ code: 0, signal: null });
  expect(service.stderr()).toBe('');
  expect(linesThatAreNoJson(service.stdout())).toEqual([]);
  // The requests are only useful if some get past the first checks.
  for (const status of [200, 400, 401, 404, 405, 409, 413, 415, 421, 422, 431]) {
    expect(figures.byStatus[status], String(status)).toBeGreaterThan(0);
  }
});

describe('found by hostile requests', () => {
  it('another host name is refused in the routes of the simulator too', async () => {
    const answers = await sendAlone('GET /stg/api/v2/oidc/session HTTP/1.1\r\nHost: other.invalid');
    expect(answers).toMatchObject([{ status: 421 }]);
    expect(answers[0]?.body).toContain('"code":"request.misdirected"');
  });

  it.each([
    'POST /nowhere HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcGET / HTTP',
    'POST /start%zz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\nx\n0\n',
    'GET /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999',
  ])('what breaks after its answer gets no second one: %j', async (bytes) => {
    expect(await sendAlone(bytes)).toHaveLength(1);
  });

  it.each([
    ['POST /api/v1/start', 400],
    ['POST /api/v1/callback', 400],
    ['POST /api/v1/complete-mfa', 400],
    ['POST /api/v1/token/an-attempt', 400],
    ['POST /api/v1/introspect', 400],
    ['DELETE /api/v1/token', 401],
    ['DELETE /api/v1/tokens/one', 401],
    ['OPTIONS /api/v1/start', 400],
    ['GET /livez', 200],
  ])('a request that names a media type and has no body is answered: %s', async (line, status) => {
    const { app } = await openTestService();
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const connection = new RawConnection(port);
    const bytes = `${line} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\r\n`;
    // A connection that is held is closed, so that a missing answer is seen as one.
    AbortSignal.timeout(WAIT_MS).addEventListener('abort', () => connection.close());
    const answer = await connection.exchange(bytes, 'GET');
    connection.close();
    expect(answer?.status).toBe(status);
  });

  it('an OPTIONS of a page that asks for nothing is nothing', async () => {
    const origin = 'Host: localhost\r\nOrigin: http://localhost:5173';
    expect(await sendAlone(`OPTIONS /api/v1/user HTTP/1.1\r\n${origin}`)).toMatchObject([
      { status: 204 },
    ]);
  });
});

async function sendAlone(head: string) {
  const { app } = await openTestService();
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return new RawConnection(port).sendAlone(`${head}\r\n\r\n`, 'GET');
}

/** After the banner, which ends with the data folder, each line belongs to the log. */
function linesThatAreNoJson(stdout: string): string[] {
  const log = stdout.slice(stdout.indexOf('Ctrl-C stops it.')).split('\n').slice(1);
  return log.filter((line) => line !== '' && !line.startsWith('{"level":'));
}
