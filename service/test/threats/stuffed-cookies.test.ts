import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { until } from '../support/programs/until.ts';
import type { Started } from '../support/live/live-client.ts';
import { parseAnswer } from '../support/service/raw-request.ts';
import { shareUnmoved } from '../support/live/live-service.ts';
import { codeOf, comeBack, launched, returnUrl, wordsOf } from '../support/live/steps.ts';

const scene = shareUnmoved();

/** Cookies that a sibling host has set for all hosts of the domain. */
const STUFFED = `Cookie: ${Array.from({ length: 20 }, (_, n) => `c${n}=${'x'.repeat(1000)}`).join('; ')}`;
/** The payload of one packet in most networks, in bytes. */
const PACKET = 1460;

interface Stuffed {
  readonly method?: string;
  readonly host?: string;
  readonly packet?: number;
  /** Complete requests that were sent on the same connection before. */
  readonly before?: string;
}

async function sendStuffed(url: URL, how: Stuffed = {}): Promise<string> {
  const { method = 'GET', host = url.host, packet = Infinity, before = '' } = how;
  const socket = connect(Number(url.port), url.hostname).setEncoding('latin1').setNoDelay();
  let text = '';
  socket.on('data', (piece: string) => (text += piece));
  const closed = once(socket, 'close');
  if (before !== '') {
    socket.write(before);
    await once(socket, 'data');
    text = '';
  }
  const bytes = `${method} ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${host}\r\n${STUFFED}\r\n\r\n`;
  for (let sent = 0; sent < bytes.length && socket.writable; sent += packet) {
    const piece = bytes.slice(sent, sent + packet);
    await new Promise((written) => socket.write(piece, written));
  }
  await closed;
  const answer = parseAnswer(text);
  return wordsOf({ status: answer.status, text: answer.body });
}

const back = (started: Started) => new URL(returnUrl(scene(), started));

/** The victim has approved, and the attacker, whose browser launched, can now return. */
async function relayed() {
  const started = await scene().bank.startRedirect();
  const attacker = await launched(started);
  scene().provider.approve(started.attempt_id);
  return { started, attacker };
}

const get = (path: string) =>
  `GET ${path} HTTP/1.1\r\nHost: ${new URL(scene().origin).host}\r\n\r\n`;

describe('threat 65: a return whose head was made too large', () => {
  it.each<[string, () => Stuffed]>([
    ['in one packet', () => ({})],
    ['in small packets', () => ({ packet: PACKET })],
    ['on a connection that was used before', () => ({ packet: PACKET, before: get('/livez') })],
  ])('%s still spoils the attempt', async (_, how) => {
    const { started, attacker } = await relayed();
    expect(await sendStuffed(back(started), how())).toMatch(/^431 /);
    // The answer does not wait for the spoiling, so it is polled.
    let tries = 0;
    const isRefused = async () => (await comeBack(scene(), started, attacker)).location === null;
    await until(async () => (await isRefused()) || (tries += 1) === 5);
    const { status, location } = await comeBack(scene(), started, attacker);
    expect([status, location]).toEqual([404, null]);
    expect((await scene().bank.status(started)).data['token_ready']).toBe(false);
  });

  it('is answered alike, whatever the state is', async () => {
    const { started } = await relayed();
    const unknown = back(started);
    unknown.searchParams.set('state', 'nobodys');
    const known = await sendStuffed(back(started));
    expect(await sendStuffed(unknown)).toBe(known);
    expect(await sendStuffed(new URL('/livez', unknown))).toBe(known);
  });

  it.each<[string, Stuffed]>([
    ['another host', { host: 'evil.example.test' }],
    ['another method', { method: 'POST' }],
  ])('of %s spoils nothing', async (_, how) => {
    const { started, attacker } = await relayed();
    await sendStuffed(back(started), how);
    await sendStuffed(new URL('/api/v1/user?state=x', scene().origin));
    expect(codeOf(await comeBack(scene(), started, attacker))).not.toBe('');
  });
});
