import { decodeJwt } from 'jose';
import * as oidc from 'openid-client';
import { expect, it, onTestFinished } from 'vitest';
import { parseIpAddress } from '../../src/values/ip-address.ts';
import { temporaryFolder } from '../support/at-end.ts';
import { OUTSIDE } from '../support/live/hooked-live.ts';
import { planRehearsal } from '../support/live/rehearsal.ts';
import { keepLogouts } from '../support/openid/logout-receiver.ts';
import {
  beginIn,
  exchange,
  openidBrowser,
  openOpenid,
  signInIn,
} from '../support/openid/openid-scene.ts';
import { applicationsOf, SSO_CLIENTS } from '../support/openid/sso-scene.ts';
import { trustedReceivers } from '../support/outbound/receiver.ts';
import { emptyDatabase } from '../support/postgres/databases.ts';
import { runMiftah } from '../support/programs/operator.ts';
import { SIMULATOR, startService } from '../support/programs/service-process.ts';

/** Two instances in live mode on one database. */

const HOST = 'shop.test';
const SILENT = { parameters: { prompt: 'none' } };

async function openTwo() {
  const tokens: string[] = [];
  const listen = trustedReceivers(HOST, onTestFinished);
  const { port } = await listen(keepLogouts(tokens), { address: OUTSIDE });
  const backchannel_logout_uri = `https://${HOST}:${port}/logout`;
  const shop = {
    ...SSO_CLIENTS.shop,
    openid: { ...(SSO_CLIENTS.shop.openid as object), backchannel_logout_uri },
  };
  const { plan, origins, ofSimulator, end, ...planned } = await planRehearsal({
    clients: [shop, SSO_CLIENTS.desk],
    settings: { OUTBOUND_ALLOW: OUTSIDE, DATABASE_URL: await emptyDatabase(onTestFinished) },
  });
  onTestFinished(end);
  const provider = { main: SIMULATOR, port: plan.simulatorPort, settings: ofSimulator };
  const simulator = await startService(provider);
  onTestFinished(async () => void (await simulator.kill()));
  const settings: Record<string, string> = planned.settings;
  const outside = parseIpAddress(OUTSIDE);
  const lookUp = async () => (outside === null ? [] : [outside]);
  const first = await openOpenid(onTestFinished, settings, { lookUp });
  const { ['PORT']: _, ...others } = settings;
  const second = await openOpenid(onTestFinished, others, { lookUp });
  /** The same address at the second instance. */
  const atSecond = (url: URL) => new URL(url.href.replace(origins.service, second.origin));
  const own = { ...settings, DATA_DIR: temporaryFolder('command', onTestFinished) };
  const run = (args: readonly string[]) => runMiftah(args, own);
  return { ...applicationsOf(origins.service), first, second, atSecond, tokens, run };
}

type Two = Awaited<ReturnType<typeof openTwo>>;
type SignedIn = Awaited<ReturnType<Two['signIn']>>;

const isActive = async ({ asked, tokens }: Pick<SignedIn, 'asked' | 'tokens'>) =>
  (await oidc.tokenIntrospection(asked.config, tokens.access_token)).active;

/** What the second instance answers of the session that the first one has begun. */
async function answeredAtSecond({ requestOf, atSecond }: Two, { browser }: SignedIn) {
  const asked = await requestOf('desk', SILENT);
  const { location } = await browser.open(atSecond(asked.url));
  return { asked, location, answer: location?.searchParams };
}

it('a shared session of one is used and ended by a logout at the other', async () => {
  const both = await openTwo();
  const signedIn = await both.signIn('shop');
  const { answer } = await answeredAtSecond(both, signedIn);
  expect([answer?.has('code'), answer?.get('error')]).toEqual([true, null]);
  const hint = String(signedIn.tokens.id_token);
  await signedIn.browser.open(`${both.second.origin}/openid/logout?id_token_hint=${hint}`);
  expect(await isActive(signedIn)).toBe(false);
  expect(both.tokens).toHaveLength(1);
  expect((await answeredAtSecond(both, signedIn)).answer?.get('error')).toBe('login_required');
  expect((await both.tryIn(signedIn.browser, 'shop', SILENT)).error).toBe('login_required');
});

it('a day of birth that one has read is handed on and told by the other', async () => {
  const { requestOf, first, second, atSecond } = await openTwo();
  const asked = await requestOf('desk', { parameters: { scope: 'openid birthdate' } });
  const browser = openidBrowser();
  const returned = await signInIn(browser, await beginIn(browser, asked));
  let { location } = await browser.open(returned);
  while (location !== null && !location.href.startsWith(asked.redirectUri)) {
    expect(atSecond(location).origin).toBe(second.origin);
    ({ location } = await browser.open(atSecond(location)));
  }
  const { access_token: token } = await exchange(asked, location ?? returned);
  const authorization = `Bearer ${token}`;
  for (const { origin } of [second, first]) {
    const told = await fetch(`${origin}/openid/userinfo`, { headers: { authorization } });
    expect(await told.json()).toMatchObject({ birthdate: '1990-04-12' });
  }
});

it('a person whom a command stops is stopped at both, and the client is told once', async () => {
  const both = await openTwo();
  const signedIn = await both.signIn('shop');
  const { answer } = await answeredAtSecond(both, signedIn);
  expect(answer?.has('code')).toBe(true);
  const said = await both.run(['user', 'disable', '1']);
  expect(said).toMatchObject({ code: 0, err: '' });
  expect(await isActive(signedIn)).toBe(false);
  expect((await answeredAtSecond(both, signedIn)).answer?.get('error')).toBe('login_required');
  expect((await both.tryIn(signedIn.browser, 'shop', SILENT)).error).toBe('login_required');
  await expect.poll(() => both.tokens).toHaveLength(1);
  expect(decodeJwt(both.tokens[0] ?? '')).toMatchObject({
    aud: 'shop',
    sub: signedIn.claims['sub'],
  });
});
