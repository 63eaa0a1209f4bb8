import { startMiftah } from 'miftah/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loginByPhone } from './login.mjs';

/** @type {import('miftah/testing').TestMiftah} */
let miftah;
beforeAll(async () => {
  miftah = await startMiftah();
});
afterAll(() => miftah.stop());

/** @type {string[]} */
const shown = [];
const login = () =>
  loginByPhone(miftah.baseUrl, miftah.people.amal.nationalId, (number) => shown.push(number));

test('greets whoever approves on the phone', async () => {
  const result = login();
  const prompt = await miftah.phone.approve();
  expect(await result).toBe('Welcome, Amal Salem Nasser Alnamuthaji');
  expect(shown.at(-1)).toBe(prompt.random);
});

test('lets nobody in who refuses', async () => {
  const result = login();
  await miftah.phone.refuse();
  expect(await result).toBe('Not signed in: rejected');
});

test('gives up after five minutes, which pass at once', async () => {
  const result = login();
  await miftah.phone.ignore();
  await miftah.clock.advance('5m');
  expect(await result).toBe('Not signed in: expired');
});
