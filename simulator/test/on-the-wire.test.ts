/** Outcomes that affect the connection, tested with real connections. */
import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { outcomeId } from '../src/engine/people/national-id.ts';
import type { Timer } from '../src/platform/platform.ts';
import { makeApp, PUSH_PATH, type AppBench } from './support/apps.ts';
import { REQUEST_ID } from './support/engines.ts';

interface Answer {
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly body: string;
}

const PATH = `${PUSH_PATH}?local=en&requestId=${REQUEST_ID}`;
const JSON_HEADERS = { 'content-type': 'application/json' };
const bodyFor = (outcome: number) =>
  JSON.stringify({ nationalId: outcomeId(outcome), service: 'Login' });

let bench: AppBench;
afterEach(() => bench.app.close());

async function listening(timer?: Timer): Promise<number> {
  bench = makeApp(timer === undefined ? {} : { timer });
  await bench.app.listen({ host: '127.0.0.1', port: 0 });
  return (bench.app.server.address() as AddressInfo).port;
}

/** @throws the connection's error */
function ask(port: number, outcome: number, agent: Agent | false = false): Promise<Answer> {
  const target = { host: '127.0.0.1', port, path: PATH, method: 'POST' };
  return new Promise((resolve, reject) => {
    const call = request({ ...target, headers: JSON_HEADERS, agent });
    call.once('error', reject);
    call.once('response', (response) => void collect(response).then(resolve, reject));
    call.end(bodyFor(outcome));
  });
}

async function collect(response: IncomingMessage): Promise<Answer> {
  let body = '';
  for await (const chunk of response.setEncoding('utf8')) body += String(chunk);
  return { status: response.statusCode, type: response.headers['content-type'], body };
}

/** Everything that the server sends before it closes the connection. */
async function bytesOf(port: number, outcome: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const body = bodyFor(outcome);
  const lines = [`POST ${PATH} HTTP/1.1`, 'Host: 127.0.0.1', 'Content-Type: application/json'];
  socket.write([...lines, `Content-Length: ${body.length}`, '', body].join('\r\n'));
  return text(socket);
}

/** Sends the beginning of a body, and closes the connection. */
async function breakOff(port: number, path: string): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  const lines = [`POST ${path} HTTP/1.1`, 'Host: 127.0.0.1', 'Content-Type: application/json'];
  socket.write([...lines, 'Content-Length: 100', '', '{"'].join('\r\n'));
  await once(socket, 'connect');
  socket.resetAndDestroy();
}

/** Clients that reuse connections, and might treat a missing answer as a closed connection. */
const CLIENTS = {
  'node:http'(port: number) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    return {
      post: (outcome: number) => ask(port, outcome, agent),
      close: async () => agent.destroy(),
    };
  },
  fetch(port: number) {
    const options = { method: 'POST', headers: JSON_HEADERS };
    const post = async (outcome: number) => {
      const answer = await fetch(`http://127.0.0.1:${port}${PATH}`, {
        ...options,
        body: bodyFor(outcome),
      });
      await answer.text();
    };
    return { post, close: async () => undefined };
  },
} as const;

describe('on the wire', () => {
  it('403 is the gateway’s text', async () => {
    const answer = await ask(await listening(), 30);
    expect(answer).toEqual({ status: 403, type: 'text/plain', body: 'Authentication failed' });
  });

  it('500 is a text', async () => {
    const answer = await ask(await listening(), 31);
    expect(answer).toMatchObject({ status: 500, type: 'text/plain' });
  });

  it('503 is a page', async () => {
    const answer = await ask(await listening(), 32);
    expect(answer).toMatchObject({ status: 503, type: 'text/html' });
    expect(answer.body).toContain('<html>');
  });

  it('broken JSON says JSON and is none, and the person was asked', async () => {
    const answer = await ask(await listening(), 34);
    expect(answer).toMatchObject({ status: 200, type: 'application/json; charset=utf-8' });
    expect(() => JSON.parse(answer.body) as unknown).toThrow(SyntaxError);
    expect(bench.engine.prompts()).toHaveLength(1);
  });

  it('a cut connection ends in the middle of the answer, and the person was asked', async () => {
    const port = await listening();
    await expect(ask(port, 35)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(bench.engine.prompts()).toHaveLength(1);
    expect((await ask(port, 31)).status).toBe(500);
  });

  it('a cut connection says what comes, and sends less of it', async () => {
    const bytes = await bytesOf(await listening(), 35);
    const [head = '', body = ''] = bytes.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(head).toMatch(/^x-auth-mode: simulator$/im);
    expect(head).toMatch(/^content-type: application\/json/im);
    expect(body).toMatch(/^\{"transId":"[0-9a-f-]{36}"/);
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1]);
    expect(length).toBeGreaterThan(body.length);
  });

  it.each(Object.entries(CLIENTS))(
    'a cut connection is sent once by %s, which has used it before',
    async (_name, client) => {
      const port = await listening();
      let received = 0;
      bench.app.server.on('request', () => (received += 1));
      const { post, close } = client(port);
      await post(31);
      await expect(post(35)).rejects.toThrow();
      await close();
      expect(received).toBe(2);
      expect(bench.engine.prompts()).toHaveLength(1);
    },
  );

  it('a slow answer is right when it comes, ten seconds later by the timer', async () => {
    const answer = await ask(await listening(), 33);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toMatchObject({ random: expect.any(String) as string });
    expect(bench.timer.waits).toEqual([10_000]);
  });

  it('a slow answer holds nobody up, and comes at once when the simulator closes', async () => {
    const asleep: AbortSignal[] = [];
    const untilAborted: Timer = {
      elapsed: () => 0,
      sleep(_ms, signal) {
        asleep.push(signal);
        return new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      },
    };
    const port = await listening(untilAborted);
    const slow = ask(port, 33);
    while (asleep.length === 0) await ask(port, 31);
    await bench.app.close();
    expect((await slow).status).toBe(200);
  });
});

describe('a body that breaks off', () => {
  it.each([PATH, '/simulator/clock', '/simulator/keys/rotate'])(
    'is no error of ours: %s',
    async (path) => {
      const port = await listening();
      await breakOff(port, path);
      await expect.poll(() => bench.logged()).toContain('incoming request');
      // Answered after the server has seen the end of the first connection.
      await ask(port, 1);
      expect(bench.logged()).not.toContain('"level":50');
    },
  );
});
