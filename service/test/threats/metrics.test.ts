import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { ATTEMPT_LIFETIME_MS } from '../../src/attempt/attempt.ts';
import { SECOND_MS } from '../../src/values/time.ts';
import type { Started } from '../support/live/live-client.ts';
import { shareOpened } from '../support/live/live-service.ts';
import { bringPush, codeOf, comeBack, launched, signedIn } from '../support/live/steps.ts';
import { PersonBrowser } from '../support/live/person-browser.ts';
import { strangeLabels } from '../support/metrics/allowed-labels.ts';
import { seriesOf, valueOf, type Series } from '../support/metrics/series.ts';
import { findFreePort } from '../support/programs/service-process.ts';
import { parseAnswer, type RawAnswer } from '../support/service/raw-request.ts';

const metricsPort = await findFreePort();
const scene = shareOpened({ settings: { METRICS_PORT: String(metricsPort) } });

const PEOPLE = 12;
/** More than the breaker needs to open. */
const OUTAGES = 6;

async function text(): Promise<string> {
  // A text of the last second is given again.
  scene().clock.advance(SECOND_MS);
  return (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
}

async function numbers(): Promise<Series[]> {
  return seriesOf(await text());
}

/** The service's own series, without their values. */
function ownNames(series: readonly Series[]): string[] {
  const own = series.filter(({ name }) => name.startsWith('miftah_'));
  return own.map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`).toSorted();
}

/** Sends a request with these header lines, and reads until the listener closes. */
async function ask(line: string, ...headers: string[]): Promise<RawAnswer> {
  const socket = connect(metricsPort, '127.0.0.1').setEncoding('latin1');
  socket.write([`${line} HTTP/1.1`, ...headers, 'Connection: close', '', ''].join('\r\n'));
  let answer = '';
  for await (const piece of socket) answer += String(piece);
  return parseAnswer(answer);
}

/** The national id of somebody who has not signed in yet. */
const somebody = (index: number) => `10991${String(index).padStart(5, '0')}`;

/** Everything that is known of callers and must be in no label. */
const seen: string[] = [];

function remember(started: Started): Started {
  seen.push(started.attempt_id, started.attempt_token);
  return started;
}

async function signInByPhone(index: number, changes: Record<string, unknown> = {}) {
  const { bank, provider } = scene();
  seen.push(somebody(index));
  const started = remember(await bank.startPhone(somebody(index)));
  const token = provider.phoneToken(started.attempt_id, changes);
  await bringPush(scene(), provider.message(started.attempt_id, token));
  await bank.status(started);
  const { data } = await bank.redeem(started, { device_name: 'a phone' });
  if (typeof data['token'] === 'string') seen.push(data['token']);
}

async function signInByBrowser() {
  const { bank } = scene();
  const started = remember(await bank.startRedirect());
  const code = await signedIn(scene(), started);
  seen.push(code);
  await bank.redeem(started, { completion_code: code });
}

async function attack() {
  const { bank, anybody, origin, provider } = scene();
  const stolen = remember(await bank.startRedirect());
  await launched(stolen);
  provider.approve(stolen.attempt_id);
  await comeBack(scene(), stolen, new PersonBrowser());
  const guessed = remember(await bank.startRedirect());
  codeOf(await finish(guessed));
  for (let times = 0; times < 6; times += 1) {
    await bank.redeem(guessed, { completion_code: 'A'.repeat(43) });
  }
  await anybody.status({ ...guessed, attempt_id: randomUUID(), attempt_token: 'x'.repeat(64) });
  for (const path of [`/${somebody(1)}`, `/api/v1/status/${somebody(1)}/x?key=mfk_bank`, '/%00']) {
    await fetch(origin + path, { method: 'PATCH', headers: { authorization: 'Bearer nobody' } });
    await fetch(origin + path);
  }
  for (let times = 0; times < 25; times += 1) await anybody.start({});
}

async function finish(started: Started) {
  const browser = await launched(started);
  scene().provider.approve(started.attempt_id);
  return comeBack(scene(), started, browser);
}

async function sufferOutage() {
  scene().provider.answer('session', (_call, response) => void response.writeHead(503).end());
  for (let times = 0; times < OUTAGES; times += 1) await scene().clinic.start({});
}

describe('threat 71: the numbers tell of people', () => {
  let before: Series[];
  beforeAll(async () => void (before = await numbers()));

  it('after many sign-ins and attacks no label has a value of a caller', async () => {
    for (let index = 1; index <= PEOPLE; index += 1) await signInByPhone(index);
    await signInByPhone(PEOPLE + 1, { status: 'REJECTED' });
    await signInByBrowser();
    await attack();
    await sufferOutage();
    scene().clock.advance(ATTEMPT_LIFETIME_MS + SECOND_MS);
    const said = await text();
    const series = seriesOf(said);
    expect(strangeLabels(series)).toEqual([]);
    expect(seen.filter((value) => said.includes(value))).toEqual([]);
    for (const word of ['bank', 'shop', '127.0.0.1', 'mfk_']) expect(said).not.toContain(word);
    const grown = (name: string, labels: Record<string, string> = {}) =>
      valueOf(series, name, labels) - valueOf(before, name, labels);
    const signIns = (labels: Record<string, string>) => grown('miftah_sign_ins_total', labels);
    expect(signIns({ step: 'redeemed', flow: 'mfa' })).toBe(PEOPLE);
    expect(signIns({ step: 'redeemed', flow: 'oidc' })).toBe(1);
    expect(signIns({ step: 'rejected', flow: 'mfa' })).toBe(1);
    expect(signIns({ step: 'failed', reason: 'provider.unavailable' })).toBeGreaterThan(0);
    expect(signIns({ step: 'failed', reason: 'attempt.failed' })).toBe(1);
    const ended = ['redeemed', 'rejected', 'failed', 'expired'];
    const total = ended.reduce((sum, step) => sum + signIns({ step }), 0);
    expect(total).toBe(signIns({ step: 'started' }));
    expect(valueOf(series, 'miftah_provider_breaker_open', { operation: 'session' })).toBe(1);
    expect(valueOf(series, 'miftah_provider_breaker_open', { operation: 'push' })).toBe(0);
    expect(grown('miftah_limits_hit_total', { limit: 'start' })).toBeGreaterThan(0);
  });

  it('more people and more attacks make no more series', async () => {
    const series = await numbers();
    for (let index = 1; index <= PEOPLE; index += 1) await signInByPhone(500 + index);
    await signInByBrowser();
    expect(ownNames(await numbers())).toEqual(ownNames(series));
  });
});

describe('threat 71: the listener of the numbers', () => {
  it('takes them away from the public address', async () => {
    expect((await fetch(`${scene().origin}/metrics`)).status).toBe(404);
  });

  it('serves nothing else', async () => {
    const host = `Host: 127.0.0.1:${metricsPort}`;
    expect((await ask('GET /metrics', host)).status).toBe(200);
    expect((await ask('HEAD /metrics', host)).body).toBe('');
    const posted = await ask('POST /metrics', host, 'Content-Length: 9000000');
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect((await ask('GET /%zz', host)).body).toBe('Only /metrics is here.\n');
    for (const path of [
      '/',
      '/livez',
      '/api/v1/start',
      '/metrics/..',
      '//metrics',
      '/simulator/',
    ]) {
      expect((await ask(`GET ${path}`, host)).status, path).toBe(404);
    }
  });

  it.each([
    ['evil.example', 421],
    [`evil.example:${metricsPort}`, 421],
    ['127.0.0.1.evil.example', 421],
    ['127.0.0.1@evil.example', 421],
    ['evil.example#127.0.0.1', 421],
    ['', 421],
    [`127.0.0.1:${metricsPort}`, 200],
    [`localhost:${metricsPort}`, 200],
    ['10.1.2.3', 200],
    ['[::1]:9464', 200],
  ])('answers a request for the host "%s" with %i', async (host, status) => {
    expect((await ask('GET /metrics', `Host: ${host}`)).status).toBe(status);
  });

  it('answers others beside clients that send nothing, and ends a long row of requests', async () => {
    const idle = Array.from({ length: 20 }, () => connect(metricsPort, '127.0.0.1'));
    const pipelined = connect(metricsPort, '127.0.0.1').pause();
    const request = `GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
    pipelined.write(request.repeat(100));
    const closed = new Promise((resolve) => pipelined.once('close', resolve));
    pipelined.on('error', () => undefined);
    expect((await ask('GET /metrics', 'Host: 127.0.0.1')).status).toBe(200);
    pipelined.resume();
    await closed;
    for (const socket of idle) socket.destroy();
  });
});
