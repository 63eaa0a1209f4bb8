import type { FastifyInstance } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeClientsFile } from '../../../scripts/rehearsal.ts';
import { share, temporaryFolder, type AtEnd } from '../support/at-end.ts';
import { ASKED_HOST, openAsked, openLive } from '../support/live/live-service.ts';
import { OPENID_CLIENTS, PORTAL_KEY } from '../support/openid/openid-scene.ts';
import { BANK_KEY } from '../support/live/rehearsal.ts';
import { servedRoutes, type ServedRoute } from '../support/live/served-routes.ts';
import { BASE, openTestService } from '../support/service/test-service.ts';

/** What a test tells the simulator by headers and by addresses is nothing to a live service. */

type Headers = Readonly<Record<string, string>>;

interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers?: Headers;
  readonly payload?: object;
}

const AS_BANK = { authorization: `Bearer ${BANK_KEY}` };

/** What is told by an answer, without what differs between two of the same request. */
async function told(app: FastifyInstance, request: Request) {
  const { method, headers, ...rest } = request;
  const answer = await app.inject({
    ...rest,
    method: method as 'GET',
    headers: { host: ASKED_HOST, ...headers },
  });
  const { date: _date, 'x-request-id': id, ...others } = answer.headers;
  const body = answer.payload.replaceAll(String(id), 'ID');
  // The state of the provider, which the provider of the test makes anew.
  const location = String(others.location).replace(/state=[^&]+/, 'state=STATE');
  return { request, status: answer.statusCode, headers: { ...others, location }, body };
}

const bodyOf = (started: { body: string }) =>
  (JSON.parse(started.body) as { data?: Record<string, string> }).data ?? {};

const START = { method: 'POST', url: `${BASE}/start`, headers: AS_BANK } as const;
const LIFETIME_MS = 5 * 60_000;

/** The bodies of requests that come further than the check of their body. */
function bodiesFor(attempt: Record<string, string>): Readonly<Record<string, object>> {
  const { attempt_id, attempt_token } = attempt;
  return {
    [`${BASE}/start`]: { locale: 'en' },
    [`${BASE}/callback`]: { state: attempt_id, auto_complete: true },
    [`${BASE}/complete-mfa`]: { attempt_id },
    [`${BASE}/introspect`]: { token: 'mft_wrong' },
    [`${BASE}/provider/mfa-callback`]: {
      token: 'a.b.c',
      transId: attempt_id,
      requestId: attempt_id,
    },
    [`${BASE}/token/:attempt_id`]: { attempt_token },
  };
}

/** Each route as a stranger asks, and as the client whose attempt it is. */
function requestsTo(
  { method, path }: ServedRoute,
  attempt: Record<string, string>,
  ended: Record<string, string>,
): readonly Request[] {
  // The stream of an open attempt would not end.
  const { attempt_id = '', attempt_token = '' } = path.endsWith('/events') ? ended : attempt;
  const query = path.endsWith('/callback') && method !== 'POST' ? `?state=${attempt_id}` : '';
  const url = path.replace(/:\w+/, attempt_id) + query;
  const payload = bodiesFor(attempt)[path] ?? {};
  const sent = method === 'GET' || method === 'HEAD' ? {} : { payload };
  const headers = { ...AS_BANK, 'x-provider-attempt-token': attempt_token };
  return [
    { method, url },
    { method, url, ...sent, headers },
  ];
}

/** The answers of a live service of its own to the same requests, with these headers on each. */
async function answersTo(more: Headers, atEnd: AtEnd) {
  const { app, clock } = await openAsked(atEnd);
  const ask = (request: Request) =>
    told(app, { ...request, headers: { ...request.headers, ...more } });
  const ended = await ask({ ...START, payload: { locale: 'en' } });
  clock.advance(LIFETIME_MS);
  const started = [
    await ask({ ...START, payload: { locale: 'ar' } }),
    await ask({ ...START, payload: { locale: 'en', national_id: '1000002201' } }),
  ];
  const answers = [ended, ...started];
  for (const route of servedRoutes(app)) {
    for (const attempt of started.map(bodyOf)) {
      for (const request of requestsTo(route, attempt, bodyOf(ended))) {
        answers.push(await ask(request));
      }
    }
  }
  return { app, answers: answers.map(withoutMeasurements) };
}

/** The numbers of the process are others at each look, so only the names of our own are compared. */
function withoutMeasurements(answer: Awaited<ReturnType<typeof told>>) {
  if (answer.request.url !== '/metrics') return { ...answer, request: shown(answer.request) };
  const { 'content-length': _length, ...headers } = answer.headers;
  const body = answer.body.match(/^miftah_.*(?= )/gm)?.join('\n');
  return { ...answer, request: shown(answer.request), headers, body };
}

const shown = ({ method, url }: Request) => `${method} ${url}`;

const KINDS = {
  none: {},
  allowed: { 'x-miftah-scope': 'worker-1', 'x-simulate': 'refuses;after=3' },
  'not allowed': { 'x-miftah-scope': 'A b', 'x-simulate': 'nothing' },
} as const;

const asked = share(async (atEnd) => ({
  none: await answersTo(KINDS.none, atEnd),
  allowed: await answersTo(KINDS.allowed, atEnd),
  'not allowed': await answersTo(KINDS['not allowed'], atEnd),
}));

describe('threat 84: the powers of the simulator, used on a live service', () => {
  it('every route is asked, so that a new one is too, and some answers are successes', () => {
    const { answers } = asked().none;
    const urls = new Set(answers.map(({ request }) => request.split('?')[0]));
    expect(urls).toContain(`POST ${BASE}/start`);
    expect(urls).toContain(`POST ${BASE}/provider/mfa-callback`);
    expect(urls).toContain('GET /openapi.json');
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(20);
  });

  it.each(['allowed', 'not allowed'] as const)(
    'X-Miftah-Scope and X-Simulate change no answer, when their values are %s',
    (kind) => {
      expect(asked()[kind].answers).toEqual(asked().none.answers);
    },
  );

  it('the base address of a scope is an unknown path like any other', async () => {
    const { app } = asked().none;
    const routes = servedRoutes(app);
    for (const { method, path } of [...routes, { method: 'PUT', path: `${BASE}/start` }]) {
      const payload = method === 'GET' || method === 'HEAD' ? {} : { payload: {} };
      const answer = async (prefix: string) => {
        const { request: _request, ...rest } = await told(app, {
          method,
          url: prefix + path,
          ...payload,
        });
        return rest;
      };
      const [scoped, other] = [await answer('/scopes/a'), await answer('/places/a')];
      expect(scoped.status, path).toBe(404);
      expect(scoped).toEqual(other);
    }
  });

  it('no request is recorded: the answers of a live service have no place for it', () => {
    const { app } = asked().none;
    expect(app.hasReplyDecorator('wait')).toBe(true);
    expect(app.hasReplyDecorator('exchange')).toBe(false);
  });

  it('the control API is an unknown path too, and no preflight allows its headers', async () => {
    const { app } = asked().none;
    for (const path of [
      'people/amal',
      'attempts',
      'events',
      'prompts',
      'reset',
      'faults',
      'next',
      'clock',
    ]) {
      expect((await told(app, { method: 'GET', url: `/simulator/${path}` })).status).toBe(404);
    }
    const preflight = await app.inject({
      method: 'OPTIONS',
      url: `${BASE}/start`,
      headers: {
        host: ASKED_HOST,
        origin: `http://${ASKED_HOST}`,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-miftah-scope',
      },
    });
    expect(String(preflight.headers['access-control-allow-headers'])).not.toContain('Miftah-Scope');
  });

  it('no route of simulator mode is there, nor a page or a script of it', async () => {
    const { app } = asked().none;
    const live = new Set(servedRoutes(app).map(({ path }) => path));
    const simulation = await openTestService({ settings: { PROVIDER: 'simulator' } });
    const ofSimulation = servedRoutes(simulation.app).filter(({ path }) => !live.has(path));
    const paths = ofSimulation.map(({ path }) => path);
    for (const part of ['/simulator/phone', '/simulator/events', '/authservice/', '/stg/api/']) {
      expect(paths.some((path) => path.startsWith(part))).toBe(true);
    }
    const unknown = await comparable(app, 'GET', '/places/a');
    expect(unknown.status).toBe(404);
    for (const { method, path } of ofSimulation) {
      const url = path.replaceAll(/:\w+|\*/g, 'a');
      const answer = await comparable(app, method, url);
      const wanted = method === 'GET' ? unknown : await comparable(app, method, '/places/a');
      expect(answer, `${method} ${url}`).toEqual(wanted);
    }
  });

  it('finds no OpenID client by an id that names a scope', async () => {
    const folder = temporaryFolder('scopes', onTestFinished);
    const CLIENTS_FILE = writeClientsFile(folder, [OPENID_CLIENTS.portal]);
    const { origin } = await openLive({ settings: { OPENID: 'on', CLIENTS_FILE } });
    const ask = async (id: string) => {
      const authorization = `Basic ${btoa(`${id}:${PORTAL_KEY}`)}`;
      const body = new URLSearchParams({ token: 'x' });
      const sent = { method: 'POST', headers: { authorization }, body };
      return (await fetch(`${origin}/openid/introspect`, sent)).status;
    };
    expect([await ask('portal'), await ask('portal@team-a')]).toEqual([200, 401]);
  });

  it('has these routes, and no other', () => {
    const { app } = asked().none;
    const outside = servedRoutes(app).filter(({ path }) => !path.startsWith(`${BASE}/`));
    const paths = outside.map(({ path }) => path.replace(/-[0-9a-f]{12}\./, '-DIGEST.'));
    expect([...new Set(paths)].toSorted()).toEqual(OUTSIDE_OF_THE_API);
  });
});

/** What a live service answers beside the attempt API; `/docs` is off by default. */
const OUTSIDE_OF_THE_API = [
  '/assets/key-DIGEST.svg',
  '/assets/miftah-DIGEST.css',
  '/assets/plex-arabic-400-DIGEST.woff2',
  '/assets/plex-arabic-600-DIGEST.woff2',
  '/assets/plex-latin-400-DIGEST.woff2',
  '/assets/plex-latin-600-DIGEST.woff2',
  '/errors',
  '/errors/:code',
  '/livez',
  '/metrics',
  '/openapi.json',
  '/readyz',
];

/** An answer without what differs between two requests for unknown paths. */
async function comparable(app: FastifyInstance, method: string, url: string) {
  const payload = method === 'GET' || method === 'HEAD' ? {} : { payload: {} };
  const { request: _request, ...rest } = await told(app, { method, url, ...payload });
  return rest;
}
