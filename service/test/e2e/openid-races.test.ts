import { describe, expect, it } from 'vitest';
import { writeClientsFile } from '../../../scripts/rehearsal.ts';
import { textMember as textIn } from '../../src/request/body/text-member.ts';
import { memberOf } from '../../src/values/member.ts';
import { share, temporaryFolder, type AtEnd } from '../support/at-end.ts';
import {
  ask,
  beginIn,
  LASTING,
  OPENID_CLIENTS,
  openidBrowser,
  openOpenid,
  PORTAL_KEY,
  wayBack,
} from '../support/openid/openid-scene.ts';
import type { PersonBrowser, Visit } from '../support/live/person-browser.ts';
import { emptyDatabase } from '../support/postgres/databases.ts';

/** Two requests at the same moment, of which each alone would be right. */

const ROUNDS = [1, 2, 3, 4];
const AMAL = '1000001101';
const GRANT = 'urn:openid:params:grant-type:ciba';

async function openOne(atEnd: AtEnd) {
  const file = writeClientsFile(temporaryFolder('races', atEnd), Object.values(OPENID_CLIENTS));
  return [(await openOpenid(atEnd, { STRICT: 'yes', CLIENTS_FILE: file })).origin];
}

async function openTwo(atEnd: AtEnd) {
  const file = writeClientsFile(temporaryFolder('races', atEnd), Object.values(OPENID_CLIENTS));
  const DATABASE_URL = await emptyDatabase(atEnd);
  const settings = { CLIENTS_FILE: file, DATABASE_URL, SECRET_KEY: 'ab'.repeat(32) };
  const first = await openOpenid(atEnd, settings);
  const second = await openOpenid(atEnd, { ...settings, PUBLIC_URL: first.origin });
  return [first.origin, second.origin];
}

/** Where the provider sends the browser of somebody who has approved: in strict mode by a form. */
async function approveIn(browser: PersonBrowser, page: Visit): Promise<URL> {
  const provider = await browser.follow(await browser.press(page));
  const decided = await browser.press(provider, { person: 'amal', decision: 'approve' });
  const [, onward] = /href="([^"]+)" data-testid="onward"/.exec(decided.html) ?? [];
  if (onward !== undefined) return new URL(onward.replaceAll('&amp;', '&'));
  const { location } = await browser.press(decided);
  if (location === null) throw new Error(`it was not sent back: ${decided.html}`);
  return location;
}

interface Answered {
  readonly status: number;
  readonly body: unknown;
}

describe.each([
  ['SQLite', openOne],
  ['two instances on PostgreSQL', openTwo],
] as const)('at the same moment, with %s,', (_, open) => {
  const origins = share(open);
  let asked = 0;

  /** Each to the next instance. */
  async function post(path: string, form: Record<string, string>): Promise<Answered> {
    const origin = origins()[(asked += 1) % origins().length] ?? '';
    const answer = await fetch(origin + path, {
      method: 'POST',
      body: new URLSearchParams(form),
      headers: { authorization: `Basic ${btoa(`portal:${PORTAL_KEY}`)}` },
    });
    const text = await answer.text();
    expect(answer.status, text).toBeLessThan(500);
    const body: unknown = text === '' ? null : JSON.parse(text);
    return { status: answer.status, body };
  }

  const scene = () => ({ origin: origins()[0] ?? '' });
  /** False where none was given. */
  const isActive = async (token: string) =>
    token !== '' && memberOf((await post('/openid/introspect', { token })).body, 'active');

  async function codeOf(parameters: Record<string, string> = {}) {
    const wish = await ask(scene(), { id: 'portal', parameters });
    const browser = openidBrowser();
    const held = await approveIn(browser, await beginIn(browser, wish));
    const back = (await wayBack(browser, wish, held)).location ?? new URL(wish.redirectUri);
    const redeem = () =>
      post('/openid/token', {
        grant_type: 'authorization_code',
        code: back.searchParams.get('code') ?? '',
        redirect_uri: wish.redirectUri,
        code_verifier: wish.checks.pkceCodeVerifier,
      });
    return { redeem, browser };
  }

  async function lasting() {
    const { body } = await (await codeOf(LASTING)).redeem();
    const refreshToken = textIn(body, 'refresh_token');
    const refresh = (token = refreshToken) =>
      post('/openid/token', { grant_type: 'refresh_token', refresh_token: token });
    return { accessToken: textIn(body, 'access_token'), refreshToken, refresh };
  }

  it('a code that comes twice gives tokens once at most, which end when it comes again', async () => {
    for (const round of ROUNDS) {
      const { redeem } = await codeOf(LASTING);
      const answers = await Promise.all(Array.from({ length: 1 + round }, redeem));
      const given = answers.filter(({ status }) => status === 200);
      // None, where the second use has ended the grant before the first had its tokens.
      expect(given.length).toBeLessThanOrEqual(1);
      expect((await redeem()).status).toBe(400);
      for (const { body } of given) {
        expect(await isActive(textIn(body, 'access_token'))).toBe(false);
        expect(await isActive(textIn(body, 'refresh_token'))).toBe(false);
      }
    }
  });

  it('a refresh token that comes twice ends all that came of it', async () => {
    for (const round of ROUNDS) {
      const { accessToken, refresh } = await lasting();
      const answers = await Promise.all(Array.from({ length: 1 + round }, () => refresh()));
      const given = answers.filter(({ status }) => status === 200);
      expect(given.length).toBeLessThanOrEqual(1);
      const again = await refresh();
      expect(again.status).toBe(400);
      const left = [accessToken, ...given.map(({ body }) => textIn(body, 'access_token'))];
      for (const token of left) expect(await isActive(token)).toBe(false);
      for (const { body } of given) {
        expect((await refresh(textIn(body, 'refresh_token'))).status).toBe(400);
      }
    }
  });

  it('a revocation and a refresh leave no token', async () => {
    for (const _round of ROUNDS) {
      const { accessToken, refreshToken, refresh } = await lasting();
      const [revoked, refreshed] = await Promise.all([
        post('/openid/revoke', { token: refreshToken }),
        refresh(),
      ]);
      expect(revoked.status).toBe(200);
      const left = [accessToken, refreshToken, textIn(refreshed.body, 'access_token')];
      for (const token of left) expect(await isActive(token)).toBe(false);
      expect((await refresh(textIn(refreshed.body, 'refresh_token'))).status).toBe(400);
    }
  });

  it('a revocation and a look at the claims are no error, and the next look has none', async () => {
    const { accessToken } = await lasting();
    const look = async () => {
      const headers = { authorization: `Bearer ${accessToken}` };
      return (await fetch(`${origins().at(-1)}/openid/userinfo`, { headers })).status;
    };
    const looks = Array.from({ length: 6 }, look);
    const [revoked, ...seen] = await Promise.all([
      post('/openid/revoke', { token: accessToken }),
      ...looks,
    ]);
    expect(revoked).toMatchObject({ status: 200 });
    for (const status of seen) expect(status).toBeOneOf([200, 401]);
    expect(await look()).toBe(401);
  });

  it('a logout and the exchange of its code leave no token', async () => {
    for (const _round of ROUNDS) {
      const { redeem, browser } = await codeOf();
      const page = await browser.open(new URL(`${scene().origin}/openid/logout?ui_locales=en`));
      const [visit, { status, body }] = await Promise.all([browser.press(page), redeem()]);
      expect(visit.status).toBeLessThan(400);
      expect(status).toBeOneOf([200, 400]);
      expect(await isActive(textIn(body, 'access_token'))).toBe(false);
    }
  });

  it('a pushed request that two browsers bring gives one code', async () => {
    const wish = await ask(scene(), { id: 'portal', isPushed: true });
    const ways = [];
    for (const browser of [openidBrowser(), openidBrowser()]) {
      const back = await approveIn(browser, await beginIn(browser, wish));
      ways.push(() => wayBack(browser, wish, back));
    }
    const ends = await Promise.all(ways.map((way) => way()));
    for (const { status } of ends) expect(status).toBeLessThan(500);
    const codes = ends.filter(({ location }) => location?.searchParams.has('code') === true);
    expect(codes).toHaveLength(1);
  });

  it('polls and the decision give tokens once, and two decisions are one', async () => {
    for (const round of ROUNDS) {
      const { body } = await post('/openid/backchannel', { login_hint: AMAL, scope: 'openid' });
      const auth_req_id = textIn(body, 'auth_req_id');
      const poll = () => post('/openid/token', { grant_type: GRANT, auth_req_id });
      const listed = await fetch(`${scene().origin}/simulator/prompts`);
      const prompts = memberOf(await listed.json(), 'data');
      const mine = Array.isArray(prompts) ? prompts : [];
      const number = textIn(body, 'binding_message');
      const id = textIn(
        mine.find((one) => JSON.stringify(one).includes(`"${number}"`)),
        'id',
      );
      const decide = async (decision: string) => {
        const answer = await fetch(`${scene().origin}/simulator/prompts/${id}/decision`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ decision }),
        });
        return answer.status;
      };
      const order = round % 2 === 0 ? ['approve', 'refuse'] : ['refuse', 'approve'];
      const [polls, decisions] = await Promise.all([
        Promise.all([poll(), poll(), poll(), poll()]),
        Promise.all(order.map(decide)),
      ]);
      expect(decisions.filter((status) => status === 200)).toHaveLength(1);
      const ended = (answers: readonly Answered[]) =>
        answers.filter(({ status }) => status === 200).length;
      const wasApproved = decisions[order.indexOf('approve')] === 200;
      const all = [...polls];
      const until = async () => {
        all.push(...(await Promise.all([poll(), poll(), poll()])));
        return textIn(all.at(-1)?.body, 'error');
      };
      await expect.poll(until).toBe(wasApproved ? 'invalid_grant' : 'access_denied');
      expect(ended(all)).toBe(wasApproved ? 1 : 0);
    }
  });
});
