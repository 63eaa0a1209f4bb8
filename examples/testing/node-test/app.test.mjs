import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { startMiftah } from 'miftah/testing';
import { createApp } from './app.mjs';

/** @type {import('miftah/testing').TestMiftah} */
let miftah;
/** @type {import('node:http').Server} */
let app;
before(async () => {
  // Strict: with the rules of live mode, where an application needs its key.
  miftah = await startMiftah({ strict: true });
  app = createApp({ baseUrl: miftah.baseUrl, clientKey: 'mfk_test_simulator' });
  await once(app.listen(0, '127.0.0.1'), 'listening');
});
after(async () => {
  app.close();
  await miftah.stop();
});

/** @param {string | URL} path @param {string} [cookie] */
function ask(path, cookie = '') {
  const address = app.address();
  if (address === null || typeof address === 'string') throw new Error('the app has no port');
  const url = new URL(path, `http://127.0.0.1:${address.port}`);
  return fetch(url, { headers: { cookie }, redirect: 'manual' });
}

async function beginLogin() {
  const { headers } = await ask('/login');
  return { page: headers.get('location') ?? '', cookie: headers.get('set-cookie') ?? '' };
}

test('knows who has signed in', async () => {
  const { page, cookie } = await beginLogin();
  const { returnAddress } = await miftah.browser.approve(page, { person: 'siobhan' });
  assert.equal((await ask(returnAddress, cookie)).headers.get('location'), '/');
  assert.equal(await (await ask('/', cookie)).text(), "You are Siobhán Máire O'Specimen");
});

test('signs nobody in who refuses', async () => {
  const { page, cookie } = await beginLogin();
  const { returnAddress } = await miftah.browser.refuse(page);
  await ask(returnAddress, cookie);
  assert.equal(await (await ask('/', cookie)).text(), 'You are not signed in');
});

test('does not sign in another browser that comes back', async () => {
  const { page } = await beginLogin();
  const { returnAddress } = await miftah.browser.approve(page);
  const stranger = 'session=another-browser';
  await ask(returnAddress, stranger);
  assert.equal(await (await ask('/', stranger)).text(), 'You are not signed in');
});
