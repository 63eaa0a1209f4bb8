import { miftahFixture } from 'miftah/testing';
import { test as base, expect } from 'vitest';
import { loginByPhone } from './login.mjs';

// Each test has a Miftah of its own, with its own people, prompts, faults and time.
const test = base.extend(miftahFixture());

/** @type {string[]} */
const shown = [];
/** @param {import('miftah/testing').TestMiftah} miftah */
const login = ({ baseUrl, people }) =>
  loginByPhone(baseUrl, people.amal.nationalId, (number) => shown.push(number));

test('greets whoever approves on the phone', async ({ miftah }) => {
  const result = login(miftah);
  const prompt = await miftah.phone.approve();
  expect(await result).toBe('Welcome, Amal Salem Nasser Alnamuthaji');
  expect(shown.at(-1)).toBe(prompt.random);
});

test('lets nobody in who refuses', async ({ miftah }) => {
  const result = login(miftah);
  await miftah.phone.refuse();
  expect(await result).toBe('Not signed in: rejected');
});

test('gives up after five minutes, which pass at once', async ({ miftah }) => {
  const result = login(miftah);
  await miftah.phone.ignore();
  await miftah.clock.advance('5m');
  expect(await result).toBe('Not signed in: expired');
});
