import { createServer } from 'node:http';
import { signInForExpress } from '@miftah/client/express';
import type { SignInOptions } from '@miftah/client/web';
import { describe, expect, it, vi } from 'vitest';
import { share } from '../support/at-end.ts';
import {
  clientOf,
  recordingFetch,
  shareServiceProcess,
} from '../support/client/client-for-test.ts';
import { FRAMEWORKS, serveWeb, type OpenApplication } from '../support/client/frameworks.ts';
import { decideOnPhone, signInByBrowser } from '../support/client/person.ts';
import { findFreePort } from '../support/programs/service-process.ts';
import { AMAL } from '../support/service/login.ts';

const UNKNOWN = '1900000021';
const SECRET = 'a secret of this test, which is long enough';

type Asked = Omit<RequestInit, 'headers'> & { headers: Record<string, string> };

/** A browser without pages: it keeps cookies, and follows no redirect. */
class Visitor {
  readonly #cookies = new Map<string, string>();
  readonly origin: string;

  constructor(origin: string) {
    this.origin = origin;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.#ask(path, { headers });
  }

  /** As a page of the application sends a form. */
  post(path: string, form: Record<string, string> = {}): Promise<Response> {
    const headers = { origin: this.origin };
    return this.#ask(path, { method: 'POST', body: new URLSearchParams(form), headers });
  }

  /** The cookie of the sign-in, as somebody could have copied it. */
  get cookie(): string {
    return this.#cookies.get('miftah-sign-in') ?? '';
  }

  set cookie(value: string) {
    this.#cookies.set('miftah-sign-in', value);
  }

  async #ask(path: string, { headers: own, ...init }: Asked) {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...own, cookie };
    const answer = await fetch(this.origin + path, { ...init, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/Max-Age=0/.test(line)) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return answer;
  }
}

const toldBy = (answer: Response) => [
  answer.status,
  answer.headers.get('location'),
  answer.headers.get('x-told'),
];

function shareApplication(open: OpenApplication) {
  const service = shareServiceProcess();
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

/** Starts by phone. @returns the id of the attempt, as the simulator lists it */
async function promptOf({ origin }: { readonly origin: string }, nationalId: string) {
  const { data } = (await (await fetch(`${origin}/simulator/prompts`)).json()) as {
    data: readonly { readonly request_id: string; readonly national_id: string }[];
  };
  const prompt = data.findLast((one) => one.national_id === nationalId);
  return { id: prompt?.request_id ?? '' };
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
    expect(toldBy(started)).toEqual([303, '/sign-in/wait', null]);
    const page = await visitor.get('/sign-in/wait');
    expect(page.headers.get('content-security-policy')).toMatch(
      /script-src 'self'; connect-src 'self'/,
    );
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(await page.text()).toMatch(/<html lang="en" dir="ltr">[^]*<miftah-wait random="\d{6}"/);
    const arabic = await (await visitor.get('/sign-in/wait?locale=ar')).text();
    expect(arabic).toContain('<html lang="ar" dir="rtl">');
    expect(toldBy(await visitor.post('/sign-in/finish'))).toEqual([303, '/sign-in/wait', null]);
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
    expect(calls().slice(-2)).toEqual(['POST 127.0.0.1', 'DELETE 127.0.0.1']);
    visitor.cookie = copied;
    expect(toldBy(await visitor.post('/sign-in/finish'))).toEqual([
      303,
      '/?sign_in=rejected',
      null,
    ]);
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

  it('never takes a sign-in by phone for one by browser', async () => {
    const { origin } = visit();
    for (const body of ['national_id=1&national_id=1', 'national_id[]=1', 'national_id%5B0%5D=1']) {
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

  it('leaves every other request to the application', async () => {
    const visitor = visit();
    for (const path of ['/', '/sign-in', '/sign-insider/start']) {
      expect(await (await visitor.get(path)).text()).toBe('home');
    }
  });
});

/** A network that loses what would cancel. */
function away(address: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  return init.method === 'DELETE' ? Promise.reject(new Error('away')) : fetch(address, init);
}

describe('C-28 a service that does not answer', () => {
  const service = shareServiceProcess();
  const shared = share(async (atEnd) => {
    const client = clientOf(service(), { fetch: away });
    const [, [, open]] = FRAMEWORKS as [unknown, [string, OpenApplication]];
    return { origin: await open((appUrl) => ({ client, appUrl, secret: SECRET }), atEnd) };
  });

  it('is told when something was to be cancelled, which can be tried again; a sign-out is one', async () => {
    const visitor = new Visitor(shared().origin);
    await visitor.post('/sign-in/start', { national_id: AMAL });
    const refused = [303, '/?sign_in=refused&code=client.network', null];
    expect(toldBy(await visitor.post('/sign-in/cancel'))).toEqual(refused);
    expect(visitor.cookie).not.toBe('');
    expect(toldBy(await visitor.post('/sign-in/out'))).toEqual([303, '/', 'bye']);
    expect(visitor.cookie).toBe('');
  });
});

describe('examples/next in strict mode', () => {
  const service = shareServiceProcess({ STRICT: 'yes', ALLOWED_HOSTS: 'localhost' });
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
});

describe('C-28 the options of a sign-in', () => {
  const good = {
    client: clientOf({ origin: 'http://127.0.0.1:1' }),
    appUrl: 'https://shop.example',
    secret: SECRET,
    signedIn: () => undefined,
  };
  const madeOf = (options: object) => () => signInForExpress({ ...good, ...options });

  it.each([
    [{ client: undefined }, 'client is missing'],
    [{ appUrl: undefined }, 'appUrl must be an address'],
    [{ appUrl: 'shop.example' }, 'appUrl must be an address'],
    [{ appUrl: 'ftp://shop.example' }, 'appUrl must be an address'],
    [{ secret: undefined }, 'secret must be a text of at least 32'],
    [{ secret: 'x'.repeat(31) }, 'secret must be a text of at least 32'],
    [{ signedIn: undefined }, 'signedIn must be a function'],
    [{ path: 'sign-in' }, 'path must be as /sign-in'],
    [{ path: '/sign-in/' }, 'path must be as /sign-in'],
    [{ onSignIn: () => undefined }, 'no option onSignIn'],
  ])('%j is a TypeError', (options, said) => {
    expect(madeOf(options)).toThrow(TypeError);
    expect(madeOf(options)).toThrow(said);
  });

  it('are good so', () => {
    expect(madeOf({ path: '/account/sign-in', locale: 'en', deviceName: 'web' })).not.toThrow();
  });
});
