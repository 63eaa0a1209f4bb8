import { createServer } from 'node:http';
import type { Miftah } from '@miftah/client';
import type { SignInOptions } from '@miftah/client/web';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { share } from '../support/at-end.ts';
import { clientOf, recordingFetch } from '../support/client/client-for-test.ts';
import { shareListeningService } from '../support/service/listening-service.ts';
import { FRAMEWORKS, serveWeb, type OpenApplication } from '../support/client/frameworks.ts';
import { decideOnPhone, signInByBrowser } from '../support/client/person.ts';
import { Visitor } from '../support/client/visitor.ts';
import { findFreePort } from '../support/programs/service-process.ts';
import { AMAL } from '../support/service/login.ts';

const UNKNOWN = '1900000021';
const SECRET = 'a secret of this test, which is long enough';

/** The last ones are objects to a reader that makes something of brackets. */
const STRANGE_FORMS = [
  'national_id=1&national_id=1',
  'national_id[]=1',
  'national_id%5B0%5D=1',
  'national_id[a][b]=1',
  'national_id[toString]=1',
  'national_id=1&locale[toString]=1',
  'nationalId=1',
  'NationalID=1',
  'nationalid=1',
  'national-id=1',
  'national+id=1',
];

const toldBy = (answer: Response) => [
  answer.status,
  answer.headers.get('location'),
  answer.headers.get('x-told'),
];

function shareApplication(open: OpenApplication) {
  const service = shareListeningService();
  const shared = share(async (atEnd) => {
    const sent: string[] = [];
    const watched: typeof fetch = (address, init = {}) => {
      const { 'x-end-user-address': named } = Object.fromEntries(new Headers(init.headers));
      sent.push(`${init.method} ${named}`);
      return recordingFetch(address, init);
    };
    const client = clientOf(service(), { fetch: watched });
    const optionsFor = (appUrl: string): SignInOptions => ({ client, appUrl, secret: SECRET });
    return { origin: await open(optionsFor, atEnd), sent };
  });
  return { service, visit: () => new Visitor(shared().origin), calls: () => shared().sent };
}

/** @returns the newest prompt of a person, as the simulator lists it */
async function promptOf({ origin }: { readonly origin: string }, nationalId: string) {
  const { data } = (await (await fetch(`${origin}/simulator/prompts`)).json()) as {
    data: readonly Record<'request_id' | 'national_id' | 'expires_at', string>[];
  };
  const prompt = data.findLast((one) => one.national_id === nationalId);
  return { id: prompt?.request_id ?? '', expires_at: prompt?.expires_at ?? '' };
}

describe.each(FRAMEWORKS)('C-28 the sign-in of %s', (_, open) => {
  const { service, visit, calls } = shareApplication(open);

  it('signs in by browser', async () => {
    const visitor = visit();
    const started = await visitor.post('/sign-in/start', { locale: 'en' });
    expect(started.status).toBe(303);
    const authorizationUrl = started.headers.get('location') ?? '';
    const back = await signInByBrowser({ authorizationUrl });
    expect(back.pathname).toBe('/sign-in/return');
    const finished = await visitor.get(back.pathname + back.search);
    expect(toldBy(finished)).toEqual([303, '/', 'welcome 1']);
    expect(visitor.cookie).toBe('');
    const again = await visitor.get(back.pathname + back.search);
    expect(toldBy(again)).toEqual([303, '/?sign_in=dropped', null]);
  });

  it('signs in by phone, with a page that shows the number and is told of the end', async () => {
    const visitor = visit();
    const started = await visitor.post('/sign-in/start', { national_id: AMAL, locale: 'en' });
    const waits = toldBy(started);
    expect(waits).toEqual([
      303,
      expect.stringMatching(/^\/sign-in\/wait\?attempt=[\da-f-]+$/),
      null,
    ]);
    const page = await visitor.get('/sign-in/wait');
    expect(page.headers.get('content-security-policy')).toMatch(
      /script-src 'self'; connect-src 'self'/,
    );
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(await page.text()).toMatch(
      /<html lang="en" dir="ltr">[^]*<miftah-wait[^>]*\srandom="\d{6}"/,
    );
    const arabic = await (await visitor.get('/sign-in/wait?locale=ar')).text();
    expect(arabic).toContain('<html lang="ar" dir="rtl">');
    expect(toldBy(await visitor.post('/sign-in/finish'))).toEqual(waits);
    const events = await visitor.get('/sign-in/events');
    await decideOnPhone(service(), await promptOf(service(), AMAL));
    expect(await events.text()).toMatch(/"status":"pending"[^]*"status":"authenticated"/);
    const copied = visitor.cookie;
    // Another site can send the browser there, and finishes nothing by it.
    const sent = toldBy(await visitor.get('/sign-in/return'));
    expect(sent).toEqual([303, '/?sign_in=dropped', null]);
    expect(toldBy(await visitor.post('/sign-in/finish'))).toEqual([303, '/', 'welcome 1']);
    visitor.cookie = copied;
    const refused = toldBy(await visitor.post('/sign-in/finish'));
    expect(refused).toEqual([303, '/?sign_in=refused&code=attempt.already_redeemed', null]);
  });

  it('keeps the three newest sign-ins of a browser', async () => {
    const visitor = visit();
    for (const _start of [1, 2, 3, 4]) await visitor.post('/sign-in/start');
    expect(visitor.begun).toHaveLength(3);
    await visitor.post('/sign-in/out');
    expect(visitor.begun).toEqual([]);
  });

  it('says what the service refuses', async () => {
    const visitor = visit();
    const refused = await visitor.post('/sign-in/start', { national_id: UNKNOWN });
    const code = 'provider.record_not_found';
    expect(toldBy(refused)).toEqual([303, `/?sign_in=refused&code=${code}`, null]);
    const empty = await visitor.post('/sign-in/start', { national_id: '' });
    expect(toldBy(empty)).toEqual([303, '/?sign_in=refused&code=validation.failed', null]);
  });

  it.each([
    ['cancel', [303, '/?sign_in=cancelled', null]],
    ['out', [303, '/', 'bye']],
  ])('%s ends what was begun, whoever has its cookie', async (step, told) => {
    const visitor = visit();
    await visitor.post('/sign-in/start', { national_id: AMAL });
    const copied = visitor.cookie;
    expect(toldBy(await visitor.post(`/sign-in/${step}`))).toEqual(told);
    expect(visitor.cookie).toBe('');
    await expect.poll(() => calls().slice(-2)).toEqual(['POST 127.0.0.1', 'DELETE 127.0.0.1']);
    const again = async () => {
      visitor.cookie = copied;
      return toldBy(await visitor.post('/sign-in/finish'));
    };
    await expect.poll(again).toEqual([303, '/?sign_in=rejected', null]);
  });

  it('takes no cookie that it has not sealed', async () => {
    const visitor = visit();
    await visitor.post('/sign-in/start', { national_id: AMAL });
    const sealed = visitor.cookie;
    const turned = sealed.slice(0, -2) + (sealed.at(-2) === 'A' ? 'B' : 'A') + sealed.slice(-1);
    for (const cookie of [turned, sealed.slice(4), 'A', '%', '', sealed.toUpperCase()]) {
      visitor.cookie = cookie;
      expect(toldBy(await visitor.get('/sign-in/wait'))).toEqual([303, '/', null]);
      visitor.cookie = cookie;
      expect((await visitor.get('/sign-in/events')).status).toBe(204);
    }
  });

  it('takes forms of its own pages only, and no other kind of body', async () => {
    const { origin } = visit();
    const post = (path: string, from: string | null, body: BodyInit = new URLSearchParams()) =>
      fetch(origin + path, {
        method: 'POST',
        headers: from === null ? {} : { origin: from },
        body,
        redirect: 'manual',
      });
    for (const step of ['start', 'finish', 'cancel', 'out']) {
      for (const from of ['https://evil.example', 'null', null, `${origin}0`]) {
        expect([step, from, (await post(`/sign-in/${step}`, from)).status]).toEqual([
          step,
          from,
          403,
        ]);
      }
    }
    expect((await post('/sign-in/start', origin, 'national_id=1')).status).toBe(415);
    const long = new URLSearchParams({ national_id: '1'.repeat(200_000) });
    expect((await post('/sign-in/start', origin, long)).status).toBe(413);
    expect((await fetch(`${origin}/sign-in/start`)).status).toBe(405);
  });

  it('says of a refused form what is missing, and of a link that it is none', async () => {
    const { origin } = visit();
    const start = async (init: RequestInit) =>
      (await fetch(`${origin}/sign-in/start`, { body: new URLSearchParams(), ...init })).text();
    const post = (headers: Record<string, string>) => start({ method: 'POST', headers });
    expect(await post({})).toMatch(/no Origin header/);
    expect(await post({ origin: 'null' })).toMatch(/Origin is null.*Referrer-Policy: same-origin/);
    expect(await post({ origin: `${origin}0` })).toBe(
      `This form was not sent by a page of ${origin}, but by one of ${origin}0. ` +
        `Open the application at ${origin}, or set appUrl to the address that you open.`,
    );
    expect(await start({ body: null })).toMatch(/by POST: a link is no form/);
  });

  it('never takes a sign-in by phone for one by browser', async () => {
    const { origin } = visit();
    for (const body of STRANGE_FORMS) {
      const answer = await fetch(`${origin}/sign-in/start`, {
        method: 'POST',
        headers: { origin, 'content-type': 'application/x-www-form-urlencoded' },
        body,
        redirect: 'manual',
      });
      // Some readers make one number of it, which the service refuses.
      const said = answer.status === 400 ? '' : toldBy(answer)[1];
      expect([body, said]).toEqual([body, expect.stringMatching(/^$|validation\.failed/)]);
    }
  });

  it.each([
    ['nationalId=1', 'nationalId'],
    ['national-id=1&locale=en', 'national-id'],
    ['national_id=1&national_id=1', /national_id and national_id|national_id\[\]/],
  ])('names the wrong field of the form %s', async (body, named) => {
    const { origin } = visit();
    const answer = await fetch(`${origin}/sign-in/start`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/x-www-form-urlencoded' },
      body,
    });
    const said = await answer.text();
    expect([answer.status, said]).toEqual([400, expect.stringMatching(/^The form has .*;/)]);
    expect(said).toMatch(named);
  });

  it('leaves every other request to the application', async () => {
    const visitor = visit();
    for (const path of ['/', '/sign-in', '/sign-insider/start']) {
      expect(await (await visitor.get(path)).text()).toBe('home');
    }
  });
});

/** A network that loses what would cancel the first time, and later gives no answer to it. */
function openAway() {
  const held = Promise.withResolvers<Response>();
  onTestFinished(() => held.reject(new Error('away')));
  let asked = 0;
  let isGivenUp = false;
  const away: typeof fetch = async (address, init = {}) => {
    if (init.method !== 'DELETE') return fetch(address, init);
    if (asked++ === 0) throw new Error('away');
    init.signal?.addEventListener('abort', () => (isGivenUp = true));
    return held.promise;
  };
  return { fetch: away, isGivenUp: () => isGivenUp };
}

/** An application of its own for a test. */
async function visitApplicationWith(client: Miftah): Promise<Visitor> {
  const [, [, open]] = FRAMEWORKS as [unknown, [string, OpenApplication]];
  return new Visitor(await open((appUrl) => ({ client, appUrl, secret: SECRET }), onTestFinished));
}

describe('C-28 a sign-in', () => {
  const service = shareListeningService();

  it('tells of a cancel that the service has not got, and signs out without it', async () => {
    const away = openAway();
    const visitor = await visitApplicationWith(clientOf(service(), { fetch: away.fetch }));
    await visitor.post('/sign-in/start', { national_id: AMAL });
    const refused = [303, '/?sign_in=refused&code=client.network', null];
    expect(toldBy(await visitor.post('/sign-in/cancel'))).toEqual(refused);
    expect(visitor.cookie).not.toBe('');
    expect(toldBy(await visitor.post('/sign-in/out'))).toEqual([303, '/', 'bye']);
    expect(visitor.cookie).toBe('');
    expect(away.isGivenUp()).toBe(false);
  });

  it('takes no cookie of another application with the same secret', async () => {
    const one = await visitApplicationWith(clientOf(service()));
    const other = await visitApplicationWith(clientOf(service()));
    await one.post('/sign-in/start', { national_id: AMAL });
    expect((await one.get('/sign-in/wait')).status).toBe(200);
    other.cookie = one.cookie;
    expect((await other.get('/sign-in/wait')).status).toBe(303);
  });
});

describe('examples/next in strict mode', () => {
  const service = shareListeningService({ STRICT: 'yes', ALLOWED_HOSTS: 'localhost' });
  const shared = share(async (atEnd) => {
    const port = await findFreePort();
    const origin = `http://127.0.0.1:${port}`;
    vi.stubEnv('MIFTAH_URL', `${service().origin}/api/v1`);
    vi.stubEnv('MIFTAH_KEY', 'mfk_test_simulator');
    vi.stubEnv('APP_URL', origin);
    vi.stubEnv('APP_SECRET', SECRET);
    const { GET, POST, sessions } = await import('../../../examples/next/route.js');
    vi.unstubAllEnvs();
    const handle = (request: Request) => (request.method === 'GET' ? GET : POST)(request);
    const server = createServer(serveWeb(handle));
    await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
    atEnd(async () => void server.close());
    return { origin, sessions };
  });

  it('signs in by browser', async () => {
    const visitor = new Visitor(shared().origin);
    const started = await visitor.post('/sign-in/start');
    const authorizationUrl = started.headers.get('location') ?? '';
    const back = await signInByBrowser({ authorizationUrl });
    const finished = await visitor.get(back.pathname + back.search);
    const [, id = ''] =
      /__Host-session=([^;]+)/.exec(String(finished.headers.getSetCookie())) ?? [];
    expect(shared().sessions.get(id)).toMatchObject({ id: 1 });
    expect((await visitor.get('/sign-in/else')).status).toBe(404);
  });

  it('counts down to the end of the push, which ends minutes before its attempt', async () => {
    const visitor = new Visitor(shared().origin);
    await visitor.post('/sign-in/start', { national_id: AMAL });
    const page = await (await visitor.get('/sign-in/wait')).text();
    const [, shown = ''] = /<miftah-wait[^>]* expires-at="([^"]+)"/.exec(page) ?? [];
    const { expires_at: ends } = await promptOf(service(), AMAL);
    expect(Math.abs(Date.parse(shown) - Date.parse(ends))).toBeLessThan(60_000);
  });
});
