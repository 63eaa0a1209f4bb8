import type { Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createOutbound } from '../../src/outbound/outbound.ts';
import { parseIpAddress } from '../../src/values/ip-address.ts';
import {
  endOne,
  hookAt,
  openHooked,
  shareReceivers,
  triesOf,
} from '../support/live/hooked-live.ts';
import { rawReceiver } from '../support/outbound/raw-receiver.ts';

/** Attacks by connections that are kept for further webhooks. */

const HOST = 'receiver.test';
const OUTSIDE = '127.0.0.2';
const INSIDE = '127.0.0.1';
/** What the second request is answered with by whoever reads it. */
const SECOND = 'HTTP/1.1 500 Second\r\nContent-Length: 0\r\n\r\n';
const GOOD = 'HTTP/1.1 204 No Content\r\n\r\n';
const EXTRA = 'HTTP/1.1 200 Extra\r\nContent-Length: 0\r\n\r\n';

const { receivers, outside } = shareReceivers();

/** As long as it takes. */
const LONG_MS = 600_000;

/** @param inAllMs how long a connection may be kept */
function keeping({
  inAllMs = LONG_MS,
  found = [],
}: { inAllMs?: number; found?: readonly string[] } = {}) {
  const names: string[] = [];
  const lookUp = async (name: string) => {
    const address = parseIpAddress(found[names.length] ?? found.at(-1) ?? '');
    names.push(name);
    return address === null ? [] : [address];
  };
  const rules = { allowed: [OUTSIDE], mayCallItself: found.length === 0 };
  const outbound = createOutbound({ ...rules, lookUp, keeping: { idleMs: LONG_MS, inAllMs } });
  onTestFinished(() => outbound.close());
  const post = (address: string, body = 'one', keptFor = 'receiver') =>
    outbound.fetch(address, { method: 'POST', headers: [], body, keptFor });
  const statusOf = async (...call: Parameters<typeof post>) => (await post(...call)).status;
  return { outbound, names, post, statusOf };
}

/** Answers the first request by these bytes, and each later one by 500. */
const after = (first: string) =>
  rawReceiver(
    { answer: (socket, request) => void socket.write(request === 0 ? first : SECOND) },
    onTestFinished,
  );

const fault = (name: string): unknown =>
  expect.objectContaining({ name: 'OutboundError', fault: name });

describe('threat 145: an answer on a kept connection', () => {
  it.each([
    ['without a body', GOOD],
    ['with a length', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'],
    ['in chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'],
    ['after an early hint', `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${GOOD}`],
  ])('is its own, and the connection is used again: %s', async (_, first) => {
    const hook = await after(first);
    const { statusOf } = keeping();
    expect(await statusOf(hook.address)).toBeLessThan(300);
    expect(await statusOf(hook.address, 'two')).toBe(500);
    expect(hook.requests).toEqual([
      [1, 'one'],
      [1, 'two'],
    ]);
  });

  it.each([
    ['another answer', GOOD + EXTRA],
    ['two answers', GOOD + EXTRA + EXTRA],
    ['a part of an answer', `${GOOD}HTTP/1.1 200 Ex`],
    ['more than its length', `HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n${EXTRA}`],
    [
      'more than its chunks',
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${EXTRA}`,
    ],
    ['its end', 'HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n'],
    ['its end, and more', `HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n${EXTRA}`],
    ['an older version', 'HTTP/1.0 204 No Content\r\n\r\n'],
    ['no time left', 'HTTP/1.1 204 No Content\r\nKeep-Alive: timeout=1\r\n\r\n'],
  ])('is no other’s where it has %s', async (_, first) => {
    const hook = await after(first);
    const { statusOf } = keeping();
    expect(await statusOf(hook.address)).toBeLessThan(300);
    expect(await statusOf(hook.address, 'two')).toBe(500);
    expect(hook.requests).toEqual([
      [1, 'one'],
      [2, 'two'],
    ]);
    await expect.poll(hook.open).toBe(0);
  });

  it.each([
    ['100', `HTTP/1.1 100 Continue\r\n\r\n${GOOD}`],
    ['an upgrade', `HTTP/1.1 101 Switching\r\nUpgrade: own\r\nConnection: upgrade\r\n\r\n${EXTRA}`],
    [
      'two lengths',
      `HTTP/1.1 200 OK\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${EXTRA}`,
    ],
    ['without the body of its length', 'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nHTTP/'],
    ['no HTTP', `hello\r\n\r\n${EXTRA}`],
  ])('is none, and no other’s, where it is %s', async (_, first) => {
    const hook = await after(first);
    const { post, statusOf } = keeping();
    await expect(post(hook.address)).rejects.toEqual(fault('lost'));
    expect(await statusOf(hook.address, 'two')).toBe(500);
    expect(hook.requests).toHaveLength(2);
    await expect.poll(hook.open).toBe(0);
  });

  it('is not read on after 64 KB, in however small chunks, and the rest is nobody’s', async () => {
    const chunks = '1\r\na\r\n'.repeat(64 * 1024 + 1);
    const hook = await after(
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}${EXTRA}`,
    );
    const { post, statusOf } = keeping();
    await expect(post(hook.address)).rejects.toEqual(fault('too_large'));
    expect(await statusOf(hook.address, 'two')).toBe(500);
    expect(hook.connections()).toBe(2);
  });

  it('that did not come in time is nobody’s', async () => {
    const late: (() => void)[] = [];
    const hook = await rawReceiver(
      {
        answer(socket, request) {
          if (request === 0) late.push(() => void socket.write(EXTRA));
          else {
            for (const one of late) one();
            socket.write(SECOND);
          }
        },
      },
      onTestFinished,
    );
    const { post, statusOf } = keeping();
    await expect(post(hook.address)).rejects.toEqual(fault('timeout'));
    expect(await statusOf(hook.address, 'two')).toBe(500);
    expect(hook.connections()).toBe(2);
  });

  it('that comes before its request is no other’s', async () => {
    const hook = await rawReceiver(
      {
        onConnection: (socket) => void socket.write(EXTRA + EXTRA),
        answer: (socket, request) => void socket.write(request === 0 ? GOOD : SECOND),
      },
      onTestFinished,
    );
    const { outbound } = keeping();
    const call = { method: 'POST', headers: [], body: 'one', keptFor: 'receiver' };
    const answers = await Promise.allSettled([1, 2].map(() => outbound.fetch(hook.address, call)));
    expect(answers).toHaveLength(2);
    expect(hook.connections()).toBe(2);
    await expect.poll(hook.open).toBe(0);
  });

  it('with bytes that come later, while nobody has asked, ends the connection', async () => {
    for (const later of [EXTRA, '\r\n']) {
      const more: (() => void)[] = [];
      const hook = await rawReceiver(
        {
          answer(socket, request) {
            socket.write(request === 0 ? GOOD : SECOND);
            more.push(() => void socket.write(later));
          },
        },
        onTestFinished,
      );
      const { statusOf } = keeping();
      expect(await statusOf(hook.address)).toBe(204);
      const other = await after(GOOD);
      for (const one of more) one();
      // Answered after the bytes have come.
      expect(await statusOf(other.address, 'other', 'other')).toBe(204);
      expect(await statusOf(hook.address, 'two')).toBe(500);
      expect(hook.connections()).toBe(2);
    }
  });

  it.each(['HTTP/1.1 307 Elsewhere\r\nLocation: /a', 'HTTP/1.1 503 Busy'])(
    'by which the call has failed ends it: %s',
    async (head) => {
      const hook = await after(`${head}\r\nContent-Length: 0\r\n\r\n`);
      const { statusOf } = keeping();
      expect(await statusOf(hook.address)).toBeGreaterThan(300);
      expect(await statusOf(hook.address)).toBe(500);
      expect(hook.connections()).toBe(2);
      await expect.poll(hook.open).toBe(0);
    },
  );

  it('is that of its webhook in the whole service', async () => {
    const hook = await outside();
    const scene = await openHooked([hookAt(hook.port)]);
    hook.answer = () => (answer) => void answer.socket?.write(GOOD + EXTRA);
    await endOne(scene);
    await expect.poll(async () => triesOf(scene, 'delivered')).toBe(1);
    hook.answer = () => 503;
    await endOne(scene);
    await expect.poll(async () => triesOf(scene, 'failed')).toBe(1);
    expect(await triesOf(scene, 'delivered')).toBe(1);
  });
});

describe('threat 145: a kept connection', () => {
  it('is that of one receiver of one client, and of calls that may be kept', async () => {
    const hook = await rawReceiver({ answer: (socket) => void socket.write(GOOD) }, onTestFinished);
    const { outbound, statusOf } = keeping();
    for (const keptFor of ['first', 'first', 'second', 'second']) {
      await statusOf(hook.address, keptFor, keptFor);
    }
    const alone = { method: 'POST', headers: [], body: 'alone' };
    await outbound.fetch(hook.address, alone);
    await outbound.fetch(hook.address, alone);
    expect(hook.requests).toEqual([
      [1, 'first'],
      [1, 'first'],
      [2, 'second'],
      [2, 'second'],
      [3, 'alone'],
      [4, 'alone'],
    ]);
    await expect.poll(hook.open).toBe(0);
  });

  it('that the receiver has ended costs no try', async () => {
    const hook = await rawReceiver(
      {
        answer(socket, request) {
          if (request === 1) socket.destroy();
          else socket.write(GOOD);
          if (request === 2) socket.end();
        },
      },
      onTestFinished,
    );
    const { statusOf } = keeping();
    expect(await statusOf(hook.address, 'one')).toBe(204);
    const two = await statusOf(hook.address, 'two').catch((error: unknown) => error);
    expect(two).toBe(204);
    await expect.poll(hook.open).toBe(0);
    expect(await statusOf(hook.address, 'three')).toBe(204);
    // The second ends after its request, and the third without one.
    expect(hook.requests).toEqual([
      [1, 'one'],
      [1, 'two'],
      [2, 'two'],
      [3, 'three'],
    ]);
  });

  it('is tried once more, and not where a part of an answer has come', async () => {
    const part = 'HTTP/1.1 2';
    const hook = await rawReceiver(
      {
        answer(socket, request) {
          if (request === 0 || request === 3) socket.write(GOOD);
          else if (request === 4) socket.end(part);
          else socket.destroy();
        },
      },
      onTestFinished,
    );
    const { post, statusOf } = keeping();
    expect(await statusOf(hook.address, 'kept')).toBe(204);
    await expect(post(hook.address, 'twice')).rejects.toEqual(fault('lost'));
    expect(await statusOf(hook.address, 'kept')).toBe(204);
    await expect(post(hook.address, 'once')).rejects.toEqual(fault('lost'));
    const bodies = hook.requests.map(([, body]) => body);
    expect(bodies).toEqual(['kept', 'twice', 'twice', 'kept', 'once']);
  });

  it('leads to the address that was checked, and after its time the name is looked up again', async () => {
    const good = await receivers()((_, answer) => answer.writeHead(204).end(), {
      address: OUTSIDE,
    });
    const place = { address: INSIDE, port: good.port };
    const inside = await receivers()((_, answer) => answer.end(), place);
    const { names, post, statusOf } = keeping({ found: [OUTSIDE, INSIDE] });
    const address = `https://${HOST}:${good.port}/`;
    expect([await statusOf(address), await statusOf(address)]).toEqual([204, 204]);
    expect([names, good.connections()]).toEqual([[HOST], 1]);
    await expect(post(address, 'one', 'other')).rejects.toEqual(fault('address_refused'));
    const brief = keeping({ inAllMs: 1, found: [OUTSIDE, OUTSIDE, OUTSIDE, INSIDE] });
    await expect
      .poll(async () => brief.statusOf(address).catch((error: unknown) => error))
      .toEqual(fault('address_refused'));
    expect(inside.connections()).toBe(0);
  });

  it('is one of its host, and of few in all', async () => {
    const hooks = await Promise.all(
      Array.from({ length: 70 }, () =>
        rawReceiver({ answer: (socket) => void socket.write(GOOD) }, onTestFinished),
      ),
    );
    const { outbound, statusOf } = keeping();
    const open = () => hooks.map((hook) => hook.open());
    for (const hook of hooks) {
      for (const owner of ['first', 'second']) await statusOf(hook.address, 'one', owner);
    }
    await expect.poll(open).toEqual(hooks.map((_, place) => (place < 6 ? 0 : 1)));
    outbound.close();
    await expect.poll(open).toEqual(hooks.map(() => 0));
    const [first] = hooks;
    const before = first?.connections();
    for (let call = 0; call < 2; call += 1) await statusOf(first?.address ?? '');
    expect(first?.connections()).toBe(Number(before) + 2);
    await expect.poll(open).toEqual(hooks.map(() => 0));
  });

  it('holds up nothing of a receiver that serves one connection at a time', async () => {
    const turns: Socket[] = [];
    const hook = await rawReceiver(
      {
        answer(socket) {
          if (turns.includes(socket)) return void socket.write(GOOD);
          turns.push(socket);
          socket.once('close', () => {
            const isServed = turns[0] === socket;
            turns.splice(turns.indexOf(socket), 1);
            if (isServed) turns[0]?.write(GOOD);
          });
          if (turns[0] === socket) socket.write(GOOD);
        },
      },
      onTestFinished,
    );
    const { statusOf } = keeping();
    const eight = ['a', 'a', 'b', 'b', 'a', 'a', 'b', 'a'];
    const answerOf = (owner: string) =>
      statusOf(hook.address, owner, owner).catch((error: unknown) => error);
    for (const _ of ['at once', 'once more']) {
      expect(await Promise.all(eight.map((owner) => answerOf(owner)))).toEqual(
        eight.map(() => 204),
      );
    }
    for (const owner of eight) expect(await answerOf(owner)).toBe(204);
    await expect.poll(hook.open).toBe(1);
  });

  it('is the last where a call has failed by it', async () => {
    const hook = await rawReceiver(
      { answer: (socket, request) => void socket.write(request === 1 ? 'late' : GOOD) },
      onTestFinished,
    );
    const { post, statusOf } = keeping();
    expect(await statusOf(hook.address)).toBe(204);
    await expect(post(hook.address, 'two')).rejects.toEqual(fault('lost'));
    for (const body of ['three', 'four']) expect(await statusOf(hook.address, body)).toBe(204);
    expect(hook.requests.map(([connection]) => connection)).toEqual([1, 1, 2, 3]);
  });

  it('is waited for by the next call, where it has answered before', async () => {
    const held: Socket[] = [];
    const hook = await rawReceiver(
      {
        answer(socket, request) {
          if (request === 1) held.push(socket);
          else socket.write(GOOD);
        },
      },
      onTestFinished,
    );
    const { statusOf } = keeping();
    await statusOf(hook.address, 'one');
    const two = statusOf(hook.address, 'two');
    await expect.poll(() => held.length).toBe(1);
    const three = statusOf(hook.address, 'three');
    held[0]?.write(GOOD);
    expect([await two, await three]).toEqual([204, 204]);
    expect(hook.connections()).toBe(1);
  });
});
