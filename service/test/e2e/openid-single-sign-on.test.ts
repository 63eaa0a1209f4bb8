import * as oidc from 'openid-client';
import { expect, it, onTestFinished } from 'vitest';
import { writeClientsFile } from '../../../scripts/rehearsal.ts';
import { temporaryFolder } from '../support/at-end.ts';
import type { PersonBrowser, Visit } from '../support/live/person-browser.ts';
import { findFreePort } from '../support/programs/service-process.ts';
import {
  beginIn,
  exchange,
  openidBrowser,
  openOpenid,
  wayBack,
} from '../support/openid/openid-scene.ts';
import { ALL_SSO, applicationsOf, openSso } from '../support/openid/sso-scene.ts';
import { emptyDatabase } from '../support/postgres/databases.ts';

/** Single sign-on at two instances on PostgreSQL, and over a restart on SQLite. */

const NONE = { parameters: { prompt: 'none' } };

async function openTwo() {
  const CLIENTS_FILE = writeClientsFile(temporaryFolder('sso', onTestFinished), ALL_SSO);
  const DATABASE_URL = await emptyDatabase(onTestFinished);
  const settings = { CLIENTS_FILE, DATABASE_URL, SECRET_KEY: 'ab'.repeat(32) };
  const first = await openOpenid(onTestFinished, settings);
  const second = await openOpenid(onTestFinished, { ...settings, PUBLIC_URL: first.origin });
  return { first, second };
}

/** In plain simulator mode a link of the provider's page leads back. */
async function approveIn(browser: PersonBrowser, page: Visit): Promise<URL> {
  const provider = await browser.follow(await browser.press(page));
  const decided = await browser.press(provider, { person: 'amal', decision: 'approve' });
  const [, onward = ''] = /href="([^"]+)" data-testid="onward"/.exec(decided.html) ?? [];
  return new URL(onward.replaceAll('&amp;', '&'));
}

it('a session that one instance has begun is answered of and ended by another one', async () => {
  const { first, second } = await openTwo();
  const { requestOf } = applicationsOf(first.origin);
  const browser = openidBrowser();
  const asked = await requestOf('shop');
  const back = await approveIn(browser, await beginIn(browser, asked));
  const { location } = await wayBack(browser, asked, back);
  const tokens = [{ asked, tokens: await exchange(asked, location ?? back) }];
  /** A request without the person, at one of the two. */
  const silently = async (id: 'shop' | 'desk', at: { readonly origin: string }) => {
    const wish = await requestOf(id, NONE);
    const visit = await browser.open(wish.url.href.replace(first.origin, at.origin));
    return { asked: wish, location: visit.location ?? wish.url };
  };
  // Each writes the session, so at the same moment one of them could forget the others.
  const all = await Promise.all(
    [first, second, first, second].flatMap((at) => [silently('shop', at), silently('desk', at)]),
  );
  for (const one of all) {
    tokens.push({ asked: one.asked, tokens: await exchange(one.asked, one.location) });
  }
  const isActive = async ({ asked: { config }, tokens: { access_token } }: (typeof tokens)[0]) =>
    (await oidc.tokenIntrospection(config, access_token)).active;
  expect(await Promise.all(tokens.map((one) => isActive(one)))).not.toContain(false);
  const hint = String(tokens[0]?.tokens.id_token);
  await browser.open(`${second.origin}/openid/logout?id_token_hint=${hint}`);
  expect(await Promise.all(tokens.map((one) => isActive(one)))).not.toContain(true);
  for (const at of [first, second]) {
    const { location: end } = await silently('desk', at);
    expect(end.searchParams.get('error')).toBe('login_required');
  }
});

it('a session outlives a restart', async () => {
  const settings = {
    DATA_DIR: temporaryFolder('sso', onTestFinished),
    PORT: String(await findFreePort()),
  };
  const before = await openSso(onTestFinished, ALL_SSO, settings);
  const { browser, claims } = await before.signIn('shop');
  await before.service.close();
  const after = await openSso(onTestFinished, ALL_SSO, settings);
  const { claims: again } = await after.answered(browser, 'desk', NONE);
  expect(again['auth_time']).toBe(claims['auth_time']);
});
