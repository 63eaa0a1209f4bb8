import { request } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { IDLE_MS, LINK_MS, SESSION_MS } from '../../src/operator/sessions.ts';
import { OPERATOR_SEARCHES, RATE_WINDOW_MS } from '../../src/values/limits.ts';
import { MINUTE_MS, SECOND_MS } from '../../src/values/time.ts';
import { times } from '../support/attacks/crowd.ts';
import { PersonBrowser, type Visit } from '../support/live/person-browser.ts';
import {
  addPerson,
  makeLink,
  Operator,
  redeem,
  shareOperatorScene,
  signInAs,
  tokenIn,
} from '../support/operator/operator-scene.ts';
import { runMiftah } from '../support/programs/operator.ts';

/** What somebody can do to the pages for operators, and with them. */

const scene = shareOperatorScene();

const NUMBER = '1099000417';
const PERSON = { nin: NUMBER, sub: NUMBER, englishName: 'Noura Badr Altajribi' };

/** A page without what differs in each answer. */
const plain = ({ status, html }: Visit) => [
  status,
  html.replaceAll(/[\da-f]{4,12}-(?:<wbr\/?>)?|[\da-f]{12}/g, ''),
];

async function rowsOf(action: string): Promise<Record<string, unknown>[]> {
  const { out } = await runMiftah(['audit', '--json', '--action', action], scene().settings);
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('threat 133: the session of an operator is stolen', () => {
  it('a link signs in one of eight who redeem it at the same time', async () => {
    const link = await makeLink(scene(), 'admin');
    // All of them have the page, so that their forms arrive together.
    const browsers = times(8).map(() => new PersonBrowser());
    const opened = await Promise.all(browsers.map(async (browser) => browser.open(link)));
    const visits = await Promise.all(
      opened.map(async (page, index) => (browsers[index] ?? new PersonBrowser()).press(page)),
    );
    const signedIn = visits.filter(({ status }) => status === 303);
    expect([visits.length, signedIn.length]).toEqual([8, 1]);
    expect((await redeem(link)).status).toBe(403);
  });

  it('a program that only opens a link spends it for nobody', async () => {
    const link = await makeLink(scene(), 'viewer');
    for (const method of ['GET', 'HEAD']) await fetch(link, { method });
    expect((await redeem(link)).status).toBe(303);
  });

  it('a link is good for five minutes', async () => {
    const link = await makeLink(scene(), 'viewer');
    // The command has made it a moment later.
    scene().clock.advance(LINK_MS + SECOND_MS);
    expect((await redeem(link)).status).toBe(403);
  });

  it('a session that is not used ends, and nothing brings it back', async () => {
    const operator = await signInAs(scene(), 'viewer');
    scene().clock.advance(IDLE_MS - 1);
    expect((await operator.open('/operator')).status).toBe(200);
    scene().clock.advance(IDLE_MS - 1);
    expect((await operator.open('/operator')).status).toBe(200);
    scene().clock.advance(IDLE_MS);
    expect((await operator.open('/operator')).status).toBe(403);
    expect((await operator.open('/operator')).status).toBe(403);
  });

  it('a session ends after eight hours, however much it is used', async () => {
    const operator = await signInAs(scene(), 'viewer');
    const statuses: number[] = [];
    for (let passed = 0; passed < SESSION_MS; passed += 10 * MINUTE_MS) {
      statuses.push((await operator.open('/operator')).status);
      scene().clock.advance(10 * MINUTE_MS);
    }
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect((await operator.open('/operator')).status).toBe(403);
  });

  it('whoever has the cookie has nothing after the sign-out', async () => {
    const operator = await signInAs(scene(), 'admin');
    const thief = new PersonBrowser();
    for (const [name, value] of operator.browser.cookies) thief.cookies.set(name, value);
    const stolen = new Operator(scene().pages, thief);
    expect((await stolen.open('/operator')).status).toBe(200);
    await operator.post('/operator/sign-out');
    expect((await stolen.open('/operator')).status).toBe(403);
    expect(await rowsOf('operator.signed_out')).not.toEqual([]);
  });

  it('ends with `miftah revoke --all`', async () => {
    const operator = await signInAs(scene(), 'viewer');
    await runMiftah(['revoke', '--all'], scene().settings);
    expect((await operator.open('/operator')).status).toBe(403);
  });

  it('a cookie that another port has set ends no session', async () => {
    const { browser } = await signInAs(scene(), 'viewer');
    const own = browser.cookies.get('miftah_operator') ?? '';
    const other = (await signInAs(scene(), 'admin')).browser.cookies.get('miftah_operator') ?? '';
    const statusWith = async (...values: readonly string[]) => {
      const cookie = values.map((value) => `miftah_operator=${value}`).join('; ');
      return (await fetch(`${scene().pages}/operator`, { headers: { cookie } })).status;
    };
    expect(await statusWith('x', own)).toBe(200);
    expect(await statusWith(own, 'A'.repeat(43))).toBe(200);
    expect(await statusWith(own, other)).toBe(403);
  });

  it('the cookie is for no script, no other site and no other path, and a link is no cookie', async () => {
    const link = await makeLink(scene(), 'viewer');
    const { headers } = await redeem(link);
    const [cookie = ''] = headers.getSetCookie();
    expect(cookie).toMatch(
      /^miftah_operator=[\w-]{43}; Path=\/operator; HttpOnly; SameSite=Strict$/,
    );
    const browser = new PersonBrowser();
    const unused = new URL(await makeLink(scene(), 'viewer')).pathname.split('/').at(-1) ?? '';
    browser.cookies.set('miftah_operator', unused);
    expect((await browser.open(`${scene().pages}/operator`)).status).toBe(403);
  });

  it('every answer is kept by no cache and gives no address away', async () => {
    const operator = await signInAs(scene(), 'viewer');
    for (const path of ['/operator', '/operator/audit', '/operator/users/9999', '/nothing']) {
      const { headers } = await operator.open(path);
      expect(headers.get('cache-control'), path).toBe('no-store');
      expect(headers.get('referrer-policy'), path).toBe('same-origin');
      expect(headers.get('content-security-policy'), path).not.toContain('script-src');
    }
  });
});

describe('threat 137: a page of an operator is framed', () => {
  it('what is no request has the headers of a page', async () => {
    const { hostname, port } = new URL(scene().pages);
    const answerTo = async (text: string) => {
      const socket = connect(Number(port), hostname);
      socket.end(text);
      return (await socket.setEncoding('latin1').toArray()).join('').toLowerCase();
    };
    const long = `GET /operator HTTP/1.1\r\nHost: ${hostname}\r\nX: ${'x'.repeat(9000)}\r\n\r\n`;
    for (const [text, status] of [
      ['no request at all\r\n\r\n', 400],
      [long, 431],
    ] as const) {
      const answer = await answerTo(text);
      expect(answer).toContain(`http/1.1 ${status} `);
      expect(answer).toContain("frame-ancestors 'none'");
      expect(answer).toContain('cache-control: no-store');
    }
  });
});

/** What a program sends that sets every header itself. */
function send(headers: Record<string, string>, path: string, body = ''): Promise<number> {
  const { hostname, port } = new URL(scene().pages);
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, path, method: 'POST', headers: { ...type, ...headers } },
      (answer) => resolve(answer.resume().statusCode ?? 0),
    );
    sent.on('error', reject).end(body);
  });
}

describe('threat 134: another site acts with the session of an operator', () => {
  it('a form is taken from a page of the session alone', async () => {
    const { pages } = scene();
    const operator = await signInAs(scene(), 'support');
    const other = await signInAs(scene(), 'support');
    const cookie = `miftah_operator=${operator.browser.cookies.get('miftah_operator') ?? ''}`;
    const formToken = tokenIn(await operator.open('/operator'));
    const body = `form_token=${formToken}&national_id=${NUMBER}`;
    const path = '/operator/number';
    const own = { cookie, origin: pages };
    expect(await send({ ...own, 'sec-fetch-site': 'same-site' }, path, body)).toBe(403);
    expect(await send({ ...own, 'sec-fetch-site': 'cross-site' }, path, body)).toBe(403);
    expect(await send({ cookie }, path, body)).toBe(403);
    expect(await send({ cookie, origin: 'null' }, path, body)).toBe(403);
    expect(await send({ cookie, origin: 'http://127.0.0.1:1' }, path, body)).toBe(403);
    const foreign = tokenIn(await other.open('/operator'));
    expect(await send(own, path, body.replace(formToken, foreign))).toBe(403);
    expect(await send(own, path, `national_id=${NUMBER}`)).toBe(403);
    expect(await send(own, path, body)).toBe(200);
  });

  it('a link is redeemed from its own page alone', async () => {
    const { pathname } = new URL(await makeLink(scene(), 'viewer'));
    expect(await send({ origin: 'http://evil.example' }, pathname)).toBe(403);
    expect(await send({}, pathname)).toBe(403);
    expect(await send({ origin: scene().pages }, pathname)).toBe(303);
  });

  it('a name that another site points here is not answered', async () => {
    const { pathname, port } = new URL(await makeLink(scene(), 'viewer'));
    for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example']) {
      expect(await send({ host, origin: `http://${host}` }, pathname), host).toBe(421);
    }
    expect(await send({ host: 'localhost', origin: 'http://localhost' }, pathname)).toBe(303);
  });

  it('the pages are on no other listener, and nothing else is on theirs', async () => {
    const { origin, pages } = scene();
    expect((await fetch(`${origin}/operator`)).status).toBe(404);
    for (const path of ['/api/v1/start', '/metrics', '/livez', '/simulator/people', '/docs']) {
      expect((await fetch(pages + path)).status, path).toBe(403);
    }
  });
});

describe('threat 135: an operator does what their role may not', () => {
  it('a viewer sees no name and no number, and searches by none', async () => {
    const { userId, attemptId } = await addPerson(scene(), PERSON, 'phone of Noura');
    const viewer = await signInAs(scene(), 'viewer');
    const places = [`/operator/users/${userId}`, `/operator/attempts/${attemptId}`];
    for (const path of [...places, '/operator/attempts', '/operator/audit', '/operator']) {
      const { status, html } = await viewer.open(path);
      expect(status, path).toBe(200);
      expect(html, path).not.toMatch(/Noura|نورة|0417|national_id/);
    }
    expect((await viewer.post('/operator/number', { national_id: NUMBER })).status).toBe(403);
  });

  it('a viewer sees no reason, which may name a person', async () => {
    const { userId } = await addPerson(scene(), PERSON);
    const reason = 'Noura has asked by phone';
    await runMiftah(['user', 'disable', String(userId), '--reason', reason], scene().settings);
    await runMiftah(['user', 'enable', String(userId)], scene().settings);
    const path = '/operator/audit?action=user.disabled';
    const [viewer, support] = [
      await signInAs(scene(), 'viewer'),
      await signInAs(scene(), 'support'),
    ];
    expect((await viewer.open(path)).html).toContain('user.disabled');
    expect((await viewer.open(path)).html).not.toContain('Noura');
    expect((await support.open(path)).html).toContain('Noura has asked');
  });

  it('what is for administrators is for nobody else', async () => {
    for (const role of ['viewer', 'support'] as const) {
      const operator = await signInAs(scene(), role);
      for (const path of ['/operator/clients', '/operator/doctor']) {
        const { status, html } = await operator.open(`${path}?role=admin`);
        expect([status, html.includes('bank')], path).toEqual([403, false]);
      }
      const posted = await operator.post('/operator/doctor', { role: 'admin' });
      expect(posted.status).toBe(403);
    }
    const admin = await signInAs(scene(), 'admin');
    expect((await admin.open('/operator/clients')).html).toContain('bank');
    expect((await admin.open('/operator/doctor')).status).toBe(200);
  });

  it('no page has a whole number, in any role', async () => {
    const { userId, attemptId } = await addPerson(scene(), PERSON);
    for (const role of ['support', 'admin'] as const) {
      const operator = await signInAs(scene(), role);
      const found = await operator.post('/operator/number', { national_id: NUMBER });
      expect(found.location?.pathname).toBe(`/operator/users/${userId}`);
      const places = [`/operator/users/${userId}`, `/operator/attempts/${attemptId}`];
      for (const path of [...places, '/operator/attempts', '/operator/audit']) {
        expect((await operator.open(path)).html, path).not.toContain(NUMBER);
      }
      expect((await operator.open(places[0] ?? '')).html).toContain('Noura Badr Altajribi');
    }
  });
});

describe('threat 136: the pages tell who is known', () => {
  it('without a session every address is answered alike', async () => {
    const { userId, attemptId } = await addPerson(scene(), PERSON);
    const stranger = new Operator(scene().pages, new PersonBrowser());
    const nowhere = plain(await stranger.open('/nowhere'));
    for (const path of [
      '/operator',
      `/operator/users/${userId}`,
      '/operator/users/999999',
      `/operator/attempts/${attemptId}`,
      '/operator/audit',
      '/operator/clients',
      '/operator/%zz',
    ]) {
      expect(plain(await stranger.open(path)), path).toEqual(nowhere);
    }
  });

  it('a link that was never made looks like one that was used', async () => {
    const link = await makeLink(scene(), 'viewer');
    await redeem(link);
    const invented = link.replace(/[\w-]{43}$/, 'A'.repeat(43));
    expect(plain(await redeem(invented))).toEqual(plain(await redeem(link)));
  });

  it('each search by number is a row without the number, and there are so many in a minute', async () => {
    const operator = await signInAs(scene(), 'support');
    const before = await rowsOf('user.searched');
    const search = (index: number) =>
      operator.post('/operator/number', { national_id: `10770${String(index).padStart(5, '0')}` });
    for (let index = 0; index < OPERATOR_SEARCHES.quota; index += 1) {
      const { status, url, headers } = await search(index);
      expect([status, url.pathname]).toEqual([200, '/operator/number']);
      expect(headers.get('ratelimit')).toBe(`"operator-searches";r=${19 - index};t=60`);
    }
    const refused = await search(30);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    expect(refused.headers.get('ratelimit')).toBe('"operator-searches";r=0;t=60');
    const rows = (await rowsOf('user.searched')).slice(before.length);
    expect(rows).toHaveLength(OPERATOR_SEARCHES.quota);
    expect(new Set(rows.map(({ personDigest }) => personDigest)).size).toBe(rows.length);
    for (const { actor } of rows) expect(actor).toMatch(/^operator:link of uid:/);
    expect(JSON.stringify(rows)).not.toContain('10770');
    scene().clock.advance(RATE_WINDOW_MS);
    expect((await search(31)).status).toBe(200);
    expect(scene().log()).not.toContain('10770');
  });

  it('a number is taken in no address, and no link has it', async () => {
    const operator = await signInAs(scene(), 'admin');
    for (const field of ['audit?user', 'audit?actor', 'attempts?client']) {
      for (const typed of [NUMBER, ` ${NUMBER}`, '١٠٩٩٠٠٠٤١٧']) {
        const path = `/operator/${field}=${encodeURIComponent(typed)}`;
        const { status, html } = await operator.open(path);
        expect([status, html.includes(typed.trim())], path).toEqual([400, false]);
      }
    }
    expect((await operator.open('/operator/audit?user=109900041')).status).toBe(200);
  });

  it('a part of a number finds nobody', async () => {
    await addPerson(scene(), PERSON);
    const operator = await signInAs(scene(), 'support');
    for (const part of [NUMBER.slice(0, 9), `${NUMBER.slice(0, 9)}_`, '%', '']) {
      const { status, html } = await operator.post('/operator/number', { national_id: part });
      expect([status, html.includes('Noura')], part).toEqual([200, false]);
    }
  });
});
