import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shareListeningService } from '../support/service/listening-service.ts';
import { RawConnection, type RawAnswer } from '../support/attacks/hostile/raw-connection.ts';
import { LiveClient } from '../support/live/live-client.ts';
import { BANK_KEY } from '../support/live/rehearsal.ts';
import { openRehearsal, type OpenedRehearsal } from '../support/live/shared-rehearsal.ts';
import { OWN_SECRET } from '../support/live/steps.ts';

const LISTED_ORIGIN = 'https://app.example.test';
const SETTINGS = { CORS_ORIGINS: LISTED_ORIGIN };

const simulator = shareListeningService(SETTINGS);
/** A service in live mode that accepts only the name in PUBLIC_URL. */
let rehearsal: OpenedRehearsal;
beforeAll(async () => {
  rehearsal = await openRehearsal({ settings: { ...SETTINGS, ALLOWED_HOSTS: '' } });
});
afterAll(async () => {
  await rehearsal[Symbol.asyncDispose]();
});

/** raw-connection.ts gives header names and values in lower case. */
async function send(
  port: number,
  line: string,
  headers: readonly string[] = [],
  body = '',
): Promise<RawAnswer> {
  const length = [`Content-Length: ${body.length}`, 'Connection: close'];
  const bytes = `${line} HTTP/1.1\r\n${[...headers, ...length].join('\r\n')}\r\n\r\n${body}`;
  const connection = new RawConnection(port);
  const answer = await connection.exchange(bytes, line.split(' ')[0] ?? '');
  connection.close();
  if (answer === null) throw new Error(`no answer to ${line}`);
  return answer;
}

const own = () => `localhost:${rehearsal.service.port}`;
const toLive = (line: string, headers: readonly string[] = [], body = '') =>
  send(rehearsal.service.port, line, headers, body);

const START = [`Authorization: Bearer ${BANK_KEY}`, 'Content-Type: application/json'];
const EVIL = 'evil.example';

const start = (line: string, ...headers: string[]) =>
  toLive(line, [...START, ...headers], '{"locale":"en"}');
const addressIn = ({ body }: RawAnswer) =>
  new URL((JSON.parse(body) as { data: { authorization_url: string } }).data.authorization_url);

describe('threat 25: another host name in a start', () => {
  it.each([
    [`X-Forwarded-Host: ${EVIL}`],
    [`X-Forwarded-Host: ${EVIL}`, 'X-Forwarded-Proto: https', 'X-Forwarded-Port: 444'],
    [`Forwarded: host=${EVIL};proto=https`],
    [`X-Host: ${EVIL}`],
    [`X-Original-Host: ${EVIL}`, `X-HTTP-Host-Override: ${EVIL}`],
    [`X-Original-URL: https://${EVIL}/`, `X-Rewrite-URL: https://${EVIL}/`],
    [`Referer: https://${EVIL}/`],
  ])('%s has no effect', async (...headers) => {
    const answer = await start('POST /api/v1/start', `Host: ${own()}`, ...headers);
    expect(answer.status).toBe(200);
    expect(addressIn(answer).origin).toBe(rehearsal.origins.service);
  });

  it.each([
    ['an evil host', [`Host: ${EVIL}`]],
    ['our name before it', [`Host: localhost.${EVIL}`]],
    ['our name as its user', [`Host: localhost@${EVIL}`]],
    ['two hosts', ['Host: OWN', `Host: ${EVIL}`]],
    ['two hosts, ours last', [`Host: ${EVIL}`, 'Host: OWN']],
    ['no host', []],
    ['an empty host', ['Host: ']],
  ])('%s is refused', async (_, headers) => {
    const answer = await start(
      'POST /api/v1/start',
      ...headers.map((line) => line.replace('OWN', own())),
    );
    expect([400, 421]).toContain(answer.status);
    expect(answer.body).not.toContain(EVIL);
  });

  it('the absolute form of a target counts as well', async () => {
    const named = await start(`POST http://${EVIL}/api/v1/start`, `Host: ${own()}`);
    expect(named.status).toBe(421);
    const ours = await start(`POST http://${own()}/api/v1/start`, `Host: ${own()}`);
    expect(addressIn(ours).origin).toBe(rehearsal.origins.service);
  });
});

const GETS = [
  '/livez',
  '/readyz',
  '/openapi.json',
  '/errors',
  '/api/v1/callback?state=x',
  '/api/v1/user',
];

describe('two modes: the names that are served', () => {
  it.each(GETS)(
    'live mode serves the name of PUBLIC_URL and no other of this machine: %s',
    async (path) => {
      const port = rehearsal.service.port;
      const names = [own(), `127.0.0.1:${port}`, `[::1]:${port}`, EVIL];
      const answers = await Promise.all(
        names.map((name) => toLive(`GET ${path}`, [`Host: ${name}`])),
      );
      const [known, ...unknown] = answers.map(({ status }) => status === 421);
      expect([known, ...unknown]).toEqual([false, true, true, true]);
      expect(answers[1]?.body).toContain('ALLOWED_HOSTS');
    },
  );

  it('simulator mode serves the names of this machine', async () => {
    for (const name of ['localhost', '127.0.0.1', '[::1]']) {
      expect((await send(simulator().port, 'GET /livez', [`Host: ${name}:1`])).status).toBe(200);
    }
    expect((await send(simulator().port, 'GET /livez', [`Host: ${EVIL}`])).status).toBe(421);
  });
});

const RANDOM_ID = '019a3b1e-7c40-7d2a-9f11-3c5b8e0a6d42';
const LINES: readonly (readonly [string, ...string[]])[] = [
  ...GETS.map((path) => [`GET ${path}`] as const),
  ['GET /'],
  ['GET /nowhere'],
  ['GET /errors/attempt.pending'],
  ['PUT /api/v1/start'],
  ['POST /api/v1/start', 'Content-Type: application/json'],
  ['POST /api/v1/start', 'Content-Type: text/plain'],
  ['POST /api/v1/callback', 'Content-Type: application/json'],
  ['POST /api/v1/callback', 'Content-Type: application/x-www-form-urlencoded'],
  ['POST /api/v1/callback/launch', 'Content-Type: application/x-www-form-urlencoded'],
  [`GET /api/v1/callback?state=${RANDOM_ID}`],
  [`GET /api/v1/status/${RANDOM_ID}`],
  [`GET /api/v1/status/${RANDOM_ID}`, 'X-Provider-Attempt-Token: x'],
  [`POST /api/v1/token/${RANDOM_ID}`, 'Content-Type: application/json'],
  ['POST /api/v1/complete-mfa', 'Content-Type: application/json'],
  ['POST /api/v1/provider/mfa-callback', 'Content-Type: application/json'],
  ['POST /api/v1/introspect', 'Content-Type: application/json'],
  ['DELETE /api/v1/token'],
  ['GET /api/v1/tokens'],
  [`DELETE /api/v1/tokens/${RANDOM_ID}`],
  ['OPTIONS /api/v1/user', `Origin: ${LISTED_ORIGIN}`, 'Access-Control-Request-Method: GET'],
  ['GET /%zz'],
  ['BREW /api/v1/user'],
  ['GET /livez', 'Bad Header'],
];

describe('threat 46: what may be kept of an answer, and where its address goes', () => {
  it.each(LINES)('%s', async (line, ...headers) => {
    const ports = [
      ['rehearsal', rehearsal.service.port],
      ['simulator', simulator().port],
    ] as const;
    for (const [mode, port] of ports) {
      const answer = await send(port, line, [`Host: localhost:${port}`, ...headers]);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      // There are two modes, and every answer names its own.
      expect(answer.headers.get('x-auth-mode')).toBe(mode);
    }
  });

  it('holds for an answer that was right, and for the ways of the browser', async () => {
    const service = { origin: rehearsal.origins.service };
    const bank = new LiveClient({ service }, BANK_KEY);
    const { attempt_id: id, attempt_token } = await bank.startRedirect();
    const form = ['Content-Type: application/x-www-form-urlencoded'];
    const token = [`X-Provider-Attempt-Token: ${attempt_token}`];
    const launch = [`Host: ${own()}`, `Origin: ${rehearsal.origins.service}`, ...form];
    const answers = [
      await toLive(`GET /api/v1/status/${id}`, [`Host: ${own()}`, ...token]),
      await toLive(`GET /api/v1/callback?state=${id}`, [`Host: ${own()}`]),
      await toLive('POST /api/v1/callback/launch', launch, `state=${id}&secret=${OWN_SECRET}`),
      await toLive('POST /api/v1/callback', [`Host: ${own()}`, ...form], 'state=x'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    // On the launch page the browser tells only this origin where a form comes from.
    const referrers = answers.map(({ headers }) => headers.get('referrer-policy'));
    expect(referrers).toEqual(['no-referrer', 'same-origin', 'no-referrer', 'no-referrer']);
    for (const { headers } of answers) {
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-auth-mode')).toBe('rehearsal');
    }
  });
});

const ALLOW_ORIGIN = 'access-control-allow-origin';
const PREFLIGHT = ['Access-Control-Request-Method: POST', 'Access-Control-Request-Headers: x'];
const askFrom = async (line: string, origin: string, more: readonly string[] = []) =>
  (await toLive(line, [`Host: ${own()}`, `Origin: ${origin}`, ...more])).headers;

describe('threat 52: pages of other origins', () => {
  it.each([
    'https://evil.example',
    'null',
    'file://',
    `${LISTED_ORIGIN}.evil.example`,
    `${LISTED_ORIGIN}:444`,
    'http://app.example.test',
    'https://xapp.example.test',
    'http://localhost:5173',
    'http://127.0.0.1',
    'http://[::1]:3000',
  ])('of %s read nothing in live mode', async (origin) => {
    const asked = [
      await askFrom('GET /api/v1/user', origin),
      await askFrom('POST /api/v1/start', origin, START),
      await askFrom('OPTIONS /api/v1/start', origin, PREFLIGHT),
      await askFrom('GET /nowhere', origin),
    ];
    for (const headers of asked) expect(headers.has(ALLOW_ORIGIN)).toBe(false);
  });

  it('of a listed origin may, and never with cookies', async () => {
    for (const line of ['GET /api/v1/user', 'OPTIONS /api/v1/start', 'GET /nowhere']) {
      const headers = await askFrom(line, LISTED_ORIGIN, PREFLIGHT);
      expect(headers.get(ALLOW_ORIGIN)).toBe(LISTED_ORIGIN);
      expect(headers.has('access-control-allow-credentials')).toBe(false);
      expect(headers.get('vary')).toContain('origin');
    }
  });
});
