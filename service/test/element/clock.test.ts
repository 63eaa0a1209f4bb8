import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../../scripts/browser.ts';
import { tabInTurn } from '../../../scripts/shared-tab.ts';
import { atLength } from '../../../scripts/test-length.ts';
import { ATTEMPT_LIFETIME_MS } from '../../src/attempt/attempt.ts';
import { clientOf } from '../support/client/client-for-test.ts';
import { noAnswer, ScriptedEvents } from '../support/element/scripted-events.ts';
import {
  attributesOf,
  EVENTS,
  openWait,
  relaying,
  type Waiting,
} from '../support/element/waiting-page.ts';
import { AMAL } from '../support/service/login.ts';
import { openTestService } from '../support/service/test-service.ts';

/** How `<miftah-wait>` counts the time, whatever the clock of the device says. */

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const SLEEP_MS = 200_000;
/** The clock of the device is ahead by `ahead`, which the test changes. */
const clockAhead = (ms: number) => `
globalThis.ahead = ${ms};
const real = Date.now;
Date.now = () => real() + globalThis.ahead;`;
const setClock = (ms: number) => `globalThis.ahead = ${ms}`;
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
const fourMinutes = () => ({ random: '007042', 'expires-at': inMs(4 * MINUTE_MS) });
/**
 * The header `Date` has whole seconds, and Node writes the same one for up to a second. A busy machine
 * may need a while to open the page; the wrong clocks are an hour away.
 */
const NEARLY_FOUR_MINUTES = /^(?:4:0[01]|[123]:[0-5]\d)$/;

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(async () => browser.close());
const take = tabInTurn(() => browser);

async function openScripted(waiting: Partial<Waiting> = {}, events = new ScriptedEvents()) {
  const attributes = fourMinutes();
  const wait = await openWait({ browser, take, events: events.route, attributes, ...waiting });
  return { ...wait, events };
}

describe('C-20 the time that is left', () => {
  test.each(atLength([HOUR_MS, -HOUR_MS], [HOUR_MS]))(
    'is right on a device whose clock is wrong by %i ms',
    async (ms) => {
      const wait = await openScripted({ before: clockAhead(ms) });
      await expect.poll(wait.state).toBe('waiting');
      expect(await wait.text('time')).toMatch(NEARLY_FOUR_MINUTES);
      expect(await wait.heard()).toEqual([]);
    },
  );

  test('is not believed before the server has said its time', async () => {
    const events = new ScriptedEvents();
    const { promise, resolve } = Promise.withResolvers<void>();
    const wait = await openScripted({
      before: clockAhead(HOUR_MS),
      events: (request, response) => {
        void promise.then(() => events.route(request, response));
        return undefined;
      },
    });
    await expect.poll(() => wait.server.asked).toContain(EVENTS);
    // The page is old enough to have counted by the clock of the device.
    await expect.poll(() => wait.page.evaluate('performance.now()')).toBeGreaterThan(1_500);
    // After five seconds without an event it is offline.
    expect(['connecting', 'offline']).toContain(await wait.state());
    expect(await wait.text('time')).toBe('');
    resolve();
    await expect.poll(wait.state).toBe('waiting');
    expect(await wait.heard()).toEqual([]);
  });

  test('stays right when the clock of the device is set', async () => {
    const wait = await openScripted({ before: clockAhead(0) });
    await expect.poll(wait.state).toBe('waiting');
    await wait.page.evaluate(setClock(HOUR_MS));
    await expect.poll(() => asked(wait.server.asked)).toBe(2);
    await expect.poll(() => wait.text('time')).toMatch(NEARLY_FOUR_MINUTES);
    expect(await wait.heard()).toEqual([]);
  });

  test('goes on while the device sleeps, also without a connection after it', async () => {
    const wait = await openScripted({ before: clockAhead(0) });
    await expect.poll(wait.state).toBe('waiting');
    wait.events.instead = noAnswer;
    await wait.page.evaluate(setClock(SLEEP_MS));
    await expect.poll(() => wait.text('time')).toMatch(/^0:[0-3]\d$/);
    expect(await wait.text('hint')).toContain('Less than a minute is left.');
  });

  test('is over ten seconds later without a word, and an end that comes then counts', async () => {
    // Nine seconds are left in which it still waits: a busy machine needs some of them for the page.
    const attributes = { 'expires-at': inMs(-1_000) };
    const wait = await openScripted({ attributes });
    await expect.poll(wait.state).toBe('waiting');
    expect(await wait.text('time')).toBe('0:00');
    await expect.poll(wait.state).toBe('expired');
    expect(await wait.heard()).toEqual([['miftah-expired', null]]);

    wait.events.tell({ status: 'authenticated', message: null });
    await expect.poll(wait.state).toBe('authenticated');
    expect((await wait.heard()).map(([name]) => name)).toEqual(['miftah-expired', 'miftah-end']);
  });
});

test('the service says how late it is, and that the attempt has expired', async () => {
  const service = await openTestService();
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  const origin = `http://127.0.0.1:${(service.app.server.address() as AddressInfo).port}`;
  const attempt = await clientOf({ origin }).start({ locale: 'en', nationalId: AMAL });
  // The clock of this service stands in another year than those of the page and its application.
  const attributes = attributesOf(attempt);
  const wait = await openWait({ browser, take, events: relaying(attempt), attributes });
  await expect.poll(wait.state).toBe('waiting');
  expect(await wait.text('time')).toMatch(/^(?:5:00|4:[3-5]\d)$/);
  const payload = { advance: '2m' };
  await service.app.inject({ method: 'POST', url: '/simulator/clock', payload });
  await expect.poll(() => wait.text('time')).toMatch(/^(?:3:00|2:[0-5]\d)$/);
  expect(await wait.heard()).toEqual([]);
  service.clock.advance(ATTEMPT_LIFETIME_MS);
  await expect.poll(wait.state).toBe('expired');
  expect(await wait.text('text')).toBe('The request has expired.');
  expect(await wait.heard()).toEqual([
    ['miftah-expired', null],
    ['miftah-end', { status: 'expired', message: expect.stringMatching(/.+/) as string }],
  ]);
});

function asked(paths: readonly string[]): number {
  return paths.filter((path) => path === EVENTS).length;
}
