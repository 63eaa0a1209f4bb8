/** Callbacks over HTTP, and on real sockets. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { decodeJwt } from 'jose';
import { afterEach, describe, expect, it } from 'vitest';
import { nationalIdsIn } from '../../scripts/national-ids.ts';
import { outcomeId } from '../src/engine/people/national-id.ts';
import { systemPost } from '../src/platform/platform.ts';
import { decisionCall, makeApp, pushCall } from './support/apps.ts';
import { AMAL } from './support/engines.ts';
import { Mailbox, RELYING_PARTY } from './support/relying-party.ts';

const closing: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A relying party on its own socket. */
async function listen(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('on a real socket', () => {
  it('a decision by the control API arrives as JSON', async () => {
    const { promise: arrived, resolve } = Promise.withResolvers<[string | undefined, string]>();
    const origin = await listen((request, response) => {
      void text(request).then((body) => resolve([request.headers['content-type'], body]));
      response.end();
    });
    const pushUrl = `${origin}/api/v1/provider/mfa-callback`;
    const bench = makeApp({ relyingParty: { ...RELYING_PARTY, pushUrl }, post: systemPost });
    closing.push(() => bench.app.close());
    const asked = await bench.app.inject(pushCall({ nationalId: AMAL, service: 'Login' }));
    const [prompt] = bench.engine.prompts();
    await bench.app.inject(decisionCall(prompt?.id ?? '', { decision: 'approve' }));
    const [type, body] = await arrived;
    expect(type).toBe('application/json');
    const { token, transId } = JSON.parse(body) as { token: string; transId: string };
    expect(transId).toBe(asked.json<{ transId: string }>().transId);
    expect(decodeJwt(token)).toMatchObject({
      aud: 'https://relying-party.example.test',
      ServiceName: 'Login',
      status: 'COMPLETED',
      nin: AMAL,
    });
  });

  it('a redirect is not followed', async () => {
    const seen: string[] = [];
    const origin = await listen((request, response) => {
      seen.push(request.url ?? '');
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    expect(await systemPost(`${origin}/here`, '{}')).toBe(307);
    expect(seen).toEqual(['/here']);
  });

  it('nobody there is no status', async () => {
    const origin = await listen((request) => request.socket.destroy());
    expect(await systemPost(origin, '{}')).toBeNull();
    expect(await systemPost('http://127.0.0.1:1', '{}')).toBeNull();
  });
});

describe('the outcome that is faster than the answer', () => {
  it('has been delivered when the answer to the request comes', async () => {
    const mailbox = new Mailbox();
    const bench = makeApp({ relyingParty: RELYING_PARTY, post: mailbox.post });
    closing.push(() => bench.app.close());
    const call = pushCall({ nationalId: outcomeId(41), service: 'Login' });
    const answer = await bench.app.inject(call);
    expect(mailbox.received.map(({ body }) => body.transId)).toEqual([
      answer.json<{ transId: string }>().transId,
    ]);
  });

  it('is answered all the same when nobody takes it', async () => {
    const mailbox = new Mailbox(null);
    const bench = makeApp({ relyingParty: RELYING_PARTY, post: mailbox.post });
    closing.push(() => bench.app.close());
    const call = pushCall({ nationalId: outcomeId(41), service: 'Login' });
    expect((await bench.app.inject(call)).statusCode).toBe(200);
    expect(mailbox.received.length).toBeGreaterThan(0);
  });
});

describe('without a relying party', () => {
  it('nothing is ever sent', async () => {
    const mailbox = new Mailbox();
    const bench = makeApp({ post: mailbox.post });
    closing.push(() => bench.app.close());
    for (const number of [1, 40, 41]) {
      await bench.app.inject(pushCall({ nationalId: outcomeId(number), service: 'Login' }));
    }
    await bench.app.close();
    expect(mailbox.received).toEqual([]);
  });
});

describe('the log', () => {
  it('holds no token and no number when a callback fails', async () => {
    const { promise: failed, resolve } = Promise.withResolvers<void>();
    const bench = makeApp({
      relyingParty: RELYING_PARTY,
      post: () => Promise.resolve(401).finally(resolve),
    });
    closing.push(() => bench.app.close());
    await bench.app.inject(pushCall({ nationalId: outcomeId(1), service: 'Login' }));
    await failed;
    await bench.app.close();
    expect(bench.logged()).toContain('a callback was not accepted');
    expect(bench.logged()).not.toContain('eyJ');
    expect(nationalIdsIn(bench.logged())).toEqual(new Set());
  });
});
