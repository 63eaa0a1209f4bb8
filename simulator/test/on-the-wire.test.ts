/** Outcomes of the transport, seen from the other end of a real connection. */
import { request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { outcomeId } from '../src/engine/national-id.ts';
import type { Timer } from '../src/platform.ts';
import { makeApp, PUSH_PATH, type AppBench } from './support/apps.ts';
import { REQUEST_ID } from './support/engines.ts';

interface Answer {
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly body: string;
}

let bench: AppBench;
afterEach(() => bench.app.close());

async function listening(timer?: Timer): Promise<number> {
  bench = makeApp(timer === undefined ? {} : { timer });
  await bench.app.listen({ host: '127.0.0.1', port: 0 });
  return (bench.app.server.address() as AddressInfo).port;
}

/** @throws whatever the connection throws. */
function ask(port: number, outcome: number): Promise<Answer> {
  const path = `${PUSH_PATH}?local=en&requestId=${REQUEST_ID}`;
  const headers = { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path, headers, method: 'POST', agent: false });
    call.once('error', reject);
    call.once('response', (response) => void collect(response).then(resolve, reject));
    call.end(JSON.stringify({ nationalId: outcomeId(outcome), service: 'Login' }));
  });
}

async function collect(response: IncomingMessage): Promise<Answer> {
  let body = '';
  for await (const chunk of response.setEncoding('utf8')) body += String(chunk);
  return { status: response.statusCode, type: response.headers['content-type'], body };
}

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

  it('a cut connection ends without a byte, and the person was asked', async () => {
    const port = await listening();
    await expect(ask(port, 35)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(bench.engine.prompts()).toHaveLength(1);
    expect((await ask(port, 31)).status).toBe(500);
  });

  it('a slow answer is right when it comes, ten seconds later by the timer', async () => {
    const answer = await ask(await listening(), 33);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toMatchObject({ random: expect.any(String) as string });
    expect(bench.timer.waits).toEqual([10_000]);
  });

  it('a slow answer holds nobody up, and comes at once when the simulator closes', async () => {
    const asleep: AbortSignal[] = [];
    const untilAborted: Timer = {
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
