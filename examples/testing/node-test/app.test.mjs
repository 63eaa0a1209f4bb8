import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { startMiftah } from 'miftah/testing';
import { createApp } from './app.mjs';

/** @type {import('miftah/testing').TestMiftah} */
let miftah;
let appUrl = '';
const server = createServer();
before(async () => {
  // Strict: with the rules of live mode, where an application needs its key.
  miftah = await startMiftah({ strict: true });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the app has no port');
  appUrl = `http://127.0.0.1:${address.port}`;
  const secret = 'a secret of the tests, of 32 characters or more';
  const { baseUrl } = miftah;
  server.on('request', createApp({ appUrl, secret, baseUrl, clientKey: 'mfk_test_simulator' }));
});
// Also when a test has failed: what listens keeps the process alive.
after(async () => {
  server.close();
  await miftah.stop();
});

/** A browser without pages. It keeps cookies, and posts forms as a page of the application does. */
function openBrowser() {
  /** @type {Map<string, string>} */
  const cookies = new Map();
  /**
   * @param {string | URL} path
   * @param {Record<string, string>} [form] what is posted, if anything
   * @returns where the answer leads to, or its text
   */
  return async (path, form) => {
    const cookie = [...cookies].map((one) => one.join('=')).join('; ');
    const posted = form && { method: 'POST', body: new URLSearchParams(form) };
    const headers = { origin: appUrl, cookie };
    const answer = await fetch(new URL(path, appUrl), { ...posted, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return answer.headers.get('location') ?? answer.text();
  };
}

test('signs in by browser', async () => {
  const go = openBrowser();
  const page = await go('/sign-in/start', { locale: 'en' });
  const { returnAddress } = await miftah.browser.approve(page, { person: 'siobhan' });
  assert.equal(await go(returnAddress), '/');
  assert.equal(await go('/'), "You are Siobhán Máire O'Specimen");
});

test('signs in by phone', async () => {
  const go = openBrowser();
  const { nationalId } = miftah.people.amal;
  const waits = await go('/sign-in/start', { national_id: nationalId });
  const { random } = await miftah.phone.approve('amal');
  assert.match(await go(waits), new RegExp(`random="${random}"`));
  await go('/sign-in/events'); // ends when the person has decided
  assert.equal(await go('/sign-in/finish', {}), '/');
  assert.equal(await go('/'), 'You are Amal Salem Nasser Alnamuthaji');
});

test('signs nobody in who refuses', async () => {
  const go = openBrowser();
  const { returnAddress } = await miftah.browser.refuse(await go('/sign-in/start', {}));
  assert.equal(await go(returnAddress), '/?sign_in=rejected');
  assert.equal(await go('/'), 'You are not signed in');
});

test('signs nobody in who comes back in another browser', async () => {
  const page = await openBrowser()('/sign-in/start', {});
  const { returnAddress } = await miftah.browser.approve(page);
  const go = openBrowser();
  assert.equal(await go(returnAddress), '/?sign_in=dropped');
  assert.equal(await go('/'), 'You are not signed in');
});

test('signs nobody in who decides after five minutes, which pass at once', async () => {
  const [byBrowser, byPhone] = [openBrowser(), openBrowser()];
  const page = await byBrowser('/sign-in/start', {});
  await byPhone('/sign-in/start', { national_id: miftah.people.amal.nationalId });
  await miftah.clock.advance('5m');
  // Where a browser comes back to when the person has decided too late.
  const returned = `attempt_id=${new URL(page).searchParams.get('state')}&error=expired_token`;
  assert.equal(await byBrowser(`/sign-in/return?${returned}`), '/?sign_in=expired');
  assert.equal(await byPhone('/sign-in/finish', {}), '/?sign_in=expired');
});
