import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { listenForReturn } from '../../src/platform/browser-return.ts';
import { openidSecrets } from '../../src/platform/openid-secrets.ts';
import { share } from '../support/at-end.ts';
import { decideOnPhoneOf } from '../support/client/web-example.ts';
import { drive, resultOf, shareListening, type DriveOptions } from '../support/drive/drive.ts';
import {
  OPENID_CLIENTS,
  openidBrowser,
  openOpenid,
  openStrictOpenid,
  PORTAL_KEY,
} from '../support/openid/openid-scene.ts';
import { findFreePort } from '../support/programs/service-process.ts';
import { outcomeNumber } from '../support/service/outcome-number.ts';

/** `miftah login --openid`: a sign-in from a terminal as an OpenID client does it. */

const AMAL = '1000001101';
const instance = share((atEnd) => openOpenid(atEnd));
const withoutOpenid = shareListening();

interface Claims {
  readonly id_token: Readonly<Record<string, unknown>>;
  readonly userinfo: Readonly<Record<string, unknown>>;
}

/** What a person does in the browser, until it comes back to this machine. */
async function signInAt(address: string, decision: string, more = ''): Promise<void> {
  const browser = openidBrowser();
  const page = await browser.follow(await browser.open(new URL(address)));
  const signIn = await browser.follow(await browser.press(page));
  let visit = await browser.press(signIn, { decision, person: 'amal' });
  // In strict mode an approval is handed over by a form.
  if (visit.location === null) visit = await browser.press(visit);
  while (visit.location !== null && visit.location.pathname !== '/') {
    visit = await browser.open(visit.location);
  }
  await fetch(`${visit.location?.href ?? ''}${more}`);
}

const login = (args: readonly string[], { context = {}, ...options }: DriveOptions = {}) =>
  drive(instance().origin, ['login', '--openid', ...args], {
    context: { openBrowser: (address) => void signInAt(address, 'approve'), ...context },
    ...options,
  });

describe('miftah login --openid', () => {
  it('prints the claims, and no token', async () => {
    const ran = await login([]);
    expect(ran, ran.err).toMatchObject({ code: 0 });
    const { id_token: told, userinfo } = resultOf<Claims>(ran);
    expect(told).toMatchObject({ iss: instance().origin, aud: 'demo' });
    expect(userinfo).toMatchObject({ sub: told['sub'], 'given_name#ar': 'أمل' });
    expect(ran.err).toMatch(/^Sign in at http:\S+\nWaiting for the browser\. Ctrl-C ends it\.\n$/);
    expect(ran.out).not.toMatch(/eyJ|access_token|refresh_token/);
    expect(ran.sent).toEqual([
      'GET /.well-known/openid-configuration',
      'POST /openid/par',
      'POST /openid/token',
      'GET /openid/userinfo',
    ]);
  });

  it('asks for other scopes, as another client, and shows them on a terminal', async () => {
    const args = ['openid national_id', '--client', 'demo-web'];
    const environment = { MIFTAH_KEY: 'mfk_test_demo_web' };
    const ran = await login(args, { environment, terminal: 120 });
    expect(ran, ran.err).toMatchObject({ code: 0 });
    // Whether the names are bold is up to the environment of the run.
    const out = stripVTControlCharacters(ran.out);
    expect(out).toMatch(/^aud +demo-web$/m);
    expect(out).toMatch(/^national_id +1000001101$/m);
    expect(out).toMatch(/^nationalities +\["/m);
    expect(ran.out).not.toContain('given_name');
  });

  it('names a scope that is left out', async () => {
    const ran = await login(['openid emial']);
    expect(ran, ran.err).toMatchObject({ code: 0 });
    expect(ran.err).toMatch(/^Left out: emial is no scope here, as openid, .*email.* are\.\n/);
  });

  it('signs in in a scope', async () => {
    const ran = await login(['--scope', 'worker-1']);
    expect(ran, ran.err).toMatchObject({ code: 0 });
    expect(resultOf<Claims>(ran).id_token['aud']).toBe('demo@worker-1');
  });

  it('says that the person has refused', async () => {
    const ran = await login([], {
      context: { openBrowser: (address) => void signInAt(address, 'refuse') },
    });
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain('miftah: openid.access_denied: ');
  });

  it.each([
    [['--client', 'nobody'], 'mfk_x', /openid\.invalid_client: .*nobody.*\n.*MIFTAH_KEY/],
    [['--client', 'demo-web'], 'mfk_x', /openid\.invalid_client: .*mfk_test_demo_web/],
    [['openid profile', '--client', 'demo-web'], '', /openid\.invalid_client: /],
    [
      ['profile'],
      '',
      /openid\.invalid_request: demo: .*\n +Name openid .*: --openid "openid profile"/,
    ],
  ])('says what is wrong with %o before a browser is needed', async (args, key, says) => {
    const ran = await login(args, { environment: { MIFTAH_KEY: key } });
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toMatch(says);
    expect(ran.err).not.toContain('Sign in at');
  });

  it('says how to turn it on where it is off', async () => {
    const ran = await drive(withoutOpenid().origin, ['login', '--openid']);
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toMatch(/command\.no_openid: .*is no OpenID Provider.*\n.*OPENID=on/);
  });

  it('sends nothing to a provider that says that it is another one', async () => {
    const ran = await drive(instance().origin.replace('127.0.0.1', 'localhost'), [
      'login',
      '--openid',
    ]);
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain(`Write --url ${instance().origin}`);
    expect(ran.sent).toEqual(['GET /.well-known/openid-configuration']);
  });

  it('takes no return of another request, and none from another issuer', async () => {
    const statuses: number[] = [];
    let address = '';
    const comeBack = async (state: string) => {
      const query = new URLSearchParams({ state, code: 'x', iss: 'https://other.example.com' });
      statuses.push((await fetch(`${address}?${query.toString()}`)).status);
    };
    const context = {
      openidSecrets: () => ({ ...openidSecrets(), state: 'the-state' }),
      listenForReturn: async () => {
        const listener = await listenForReturn();
        ({ address } = listener);
        return listener;
      },
      openBrowser: () => void comeBack('another').then(() => comeBack('the-state')),
    };
    const ran = await login([], { context });
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain('from another issuer');
    expect(ran.sent).not.toContain('POST /openid/token');
    expect(statuses[0]).toBe(404);
  });

  it.each([
    ['/openid/userinfo', { '\u001B[2Jname': 'shown' }, 0, /name +shown$/m],
    ['/openid/token', { id_token: 'a.b!.c' }, 1, /command\.no_openid: The ID token is of another/],
    ['/openid/token', {}, 1, /command\.no_openid: The ID token is of another/],
  ])('shows what %s answers, whatever it is: %o', async (path, answer, code, shown) => {
    const context: DriveOptions['context'] = {
      openBrowser: (address) => void signInAt(address, 'approve'),
      fetch: async (address, init) => {
        const { pathname } = new URL(address instanceof Request ? address.url : address);
        return pathname === path ? Response.json(answer) : fetch(address, init);
      },
    };
    const ran = await login([], { terminal: 120, context });
    expect(ran, ran.err).toMatchObject({ code });
    expect(stripVTControlCharacters(ran.out + ran.err)).toMatch(shown);
    expect(ran.out).not.toContain('\u001B[2J');
  });

  it('is ended by Ctrl-C', async () => {
    const stop = new AbortController();
    const openBrowser = () => stop.abort();
    const ran = await login([], { context: { stop: stop.signal, openBrowser } });
    expect(ran).toMatchObject({ code: 130, out: '' });
    expect(ran.err).toContain('command.interrupted');
  });

  it.each([
    [['--approve'], 'add --phone with a national id'],
    [['--person', 'amal'], 'add --phone with a national id'],
    [['--phone', AMAL, '--approve', '--person', 'faisal'], '--phone says who approves'],
    [['--phone', '12'], 'A national id is ten digits'],
    [['--phone', AMAL, '--browser'], 'either --phone or --browser'],
  ])('refuses %o as misused', async (args, says) => {
    const ran = await login(args);
    expect(ran).toMatchObject({ code: 2, out: '', sent: [] });
    expect(ran.err).toContain(says);
  });

  it('refuses --client without it', async () => {
    const ran = await drive(instance().origin, ['login', '--client', 'demo']);
    expect(ran).toMatchObject({ code: 2, out: '', sent: [] });
  });
});

const byPhone = (args: readonly string[] = [], options: DriveOptions = {}) =>
  login(['--phone', AMAL, ...args], options);

describe('miftah login --openid as a confidential client of a file', () => {
  const own = share(async (atEnd) => {
    const back = await findFreePort();
    const { portal } = OPENID_CLIENTS;
    const redirects = { redirect_uris: ['http://127.0.0.1/', `http://127.0.0.1:${back}/`] };
    const client = { ...portal, openid: { ...portal.openid, ...redirects } };
    return { ...(await openStrictOpenid(atEnd, [client])), back };
  });
  const loginAs = (...args: readonly string[]) =>
    drive(own().origin, ['login', '--openid', '--client', 'portal', ...args], {
      environment: { MIFTAH_KEY: PORTAL_KEY },
      context: { openBrowser: (address) => void signInAt(address, 'approve') },
    });

  it('is refused at a port that is not registered, with what can be followed', async () => {
    const ran = await loginAs();
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toMatch(/redirect_uri .+\n {2}Without --port .+--port 8765.+--phone/);
    expect(ran.err).not.toContain('Sign in at');
  });

  it('signs in at the port that is', async () => {
    const ran = await loginAs('--port', String(own().back));
    expect(ran, ran.err).toMatchObject({ code: 0 });
    expect(resultOf<Claims>(ran).id_token).toMatchObject({ aud: 'portal' });
  });
});

describe('miftah login --openid --phone', () => {
  it('sends a push by CIBA, approves it, and prints the claims and no token', async () => {
    const ran = await byPhone(['--approve']);
    expect(ran, ran.err).toMatchObject({ code: 0 });
    const { id_token: told, userinfo } = resultOf<Claims>(ran);
    expect(told).toMatchObject({ iss: instance().origin, aud: 'demo-web', amr: ['mca'] });
    expect(userinfo).toMatchObject({ sub: told['sub'], 'given_name#ar': 'أمل' });
    expect(ran.err).toMatch(/^Choose \d+ on the phone\. Ctrl-C ends the wait\.\n$/);
    expect(ran.out).not.toMatch(/eyJ|access_token/);
    expect(ran.sent).toContain('POST /openid/backchannel');
    expect(ran.sent).not.toContain('POST /openid/par');
  });

  it('approves its own push where others of the person wait', async () => {
    const body = JSON.stringify({ locale: 'en', national_id: AMAL });
    const headers = { 'content-type': 'application/json' };
    const scoped = `${instance().origin}/scopes/beside/api/v1/start`;
    for (let count = 0; count < 2; count++) {
      expect((await fetch(scoped, { method: 'POST', headers, body })).status).toBe(200);
    }
    const ran = await byPhone(['--approve', '--scope', 'beside']);
    expect(ran, ran.err).toMatchObject({ code: 0 });
    const inScope = { headers: { 'x-miftah-scope': 'beside' } };
    const listed = await fetch(`${instance().origin}/simulator/prompts`, inScope);
    expect(await listed.json()).toMatchObject({ data: [{ kind: 'push' }, { kind: 'push' }] });
  });

  it('asks for other scopes, as another client of a scope', async () => {
    const args = ['openid national_id', '--phone', AMAL, '--approve', '--client', 'demo-web'];
    const environment = { MIFTAH_KEY: 'mfk_test_demo_web' };
    const ran = await login([...args, '--scope', 'worker-1'], { environment });
    expect(ran, ran.err).toMatchObject({ code: 0 });
    expect(resultOf<Claims>(ran)).toMatchObject({
      id_token: { aud: 'demo-web@worker-1' },
      userinfo: { national_id: AMAL },
    });
  });

  it('waits between its polls for as long as the answer says', async () => {
    const waits: number[] = [];
    const after = (ms: number, work: () => void) => {
      waits.push(ms);
      void decideOnPhoneOf({ provider: instance().origin }, AMAL).then(work);
      return () => undefined;
    };
    const ran = await byPhone([], { context: { timer: { after } } });
    expect(ran, ran.err).toMatchObject({ code: 0 });
    expect(waits).toEqual([5000]);
    expect(ran.sent.filter((sent) => sent === 'POST /openid/token')).toHaveLength(2);
  });

  it.each([
    ['refuses', 'openid.access_denied', 'The person has refused'],
    ['unknown_record', 'openid.unknown_user_id', 'Check the number: `miftah people`'],
  ])('says how it has ended: %s', async (outcome, code, remedy) => {
    for (const approve of [[], ['--approve']]) {
      const ran = await login(['--phone', outcomeNumber(outcome), ...approve]);
      expect(ran).toMatchObject({ code: 1, out: '' });
      expect(ran.err).toMatch(new RegExp(`${code}: .+\\n  ${remedy}`));
    }
  });

  it('is ended by Ctrl-C', async () => {
    const stop = new AbortController();
    const after = () => {
      queueMicrotask(() => stop.abort());
      return () => undefined;
    };
    const ran = await byPhone([], { context: { stop: stop.signal, timer: { after } } });
    expect(ran).toMatchObject({ code: 130, out: '' });
  });
});
