import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { launchChromium } from '../../../scripts/browser.ts';
import { tabInTurn } from '../../../scripts/shared-tab.ts';
import { clientOf } from '../support/client/client-for-test.ts';
import {
  noAnswer,
  OF_EVENTS,
  ScriptedEvents,
  statusEvent,
} from '../support/element/scripted-events.ts';
import { asked, moving, openScriptedWait } from '../support/element/scripted-wait.ts';
import { openWait, relaying, type Waiting } from '../support/element/waiting-page.ts';
import { AMAL } from '../support/service/login.ts';
import { openTestService } from '../support/service/test-service.ts';

/** The connection of `<miftah-wait>` to its back end: lost, opened again, and closed. */

const OFFLINE_LONG_MS = 10_000;
const REMOVE = "globalThis.removed = document.querySelector('miftah-wait'); removed.remove()";
const PUT_BACK = "document.querySelector('main').append(removed)";
const FOCUSED = "document.querySelector('miftah-wait').shadowRoot.activeElement?.part.value";
const leave = (name: string) =>
  `dispatchEvent(new PageTransitionEvent('${name}', { persisted: true }))`;
const answering =
  (status: number, headers: Record<string, string> = {}) =>
  () =>
    new Response(status === 204 ? null : 'nothing', { status, headers });

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(async () => browser.close());
const take = tabInTurn(() => browser);

const openScripted = (events = new ScriptedEvents(), waiting: Partial<Waiting> = {}) =>
  openScriptedWait({ browser, take, ...waiting }, events);
const openMoved: typeof openScripted = (events, waiting) =>
  openScripted(events, { ...waiting, movesClock: true });

async function openWaiting(open: typeof openScripted = openScripted) {
  const wait = await open();
  await expect.poll(wait.state).toBe('waiting');
  return wait;
}

type Answers = readonly [what: string, answer: () => Response];
const PASSING: readonly Answers[] = [
  ['408', answering(408)],
  ['a page', answering(200, { 'content-type': 'text/html' })],
  ['503', answering(503)],
  ['a redirect', answering(303, { location: '/somewhere' })],
  ['what is no event', () => new Response('data: {"stat\n\n', { headers: OF_EVENTS })],
];

describe('C-21 a stream that is lost', () => {
  test('is opened again, and nothing is said of it', async () => {
    const wait = await openWaiting(openMoved);
    const states: string[] = [];
    wait.events.cut();
    const look = moving(wait, async () => {
      states.push(await wait.state());
      return asked(wait);
    });
    await expect.poll(look).toBe(2);
    expect(new Set(states)).toEqual(new Set(['waiting']));
  });

  test.each(atLength(PASSING, PASSING.slice(3)))(
    'shows that it is offline after %s, with the number, and goes on',
    async (_, instead) => {
      const wait = await openWaiting(openMoved);
      wait.events.instead = instead;
      wait.events.cut();
      await expect.poll(moving(wait, wait.state)).toBe('offline');
      expect(await wait.text('digits')).toBe('007042');
      expect(await wait.text('text')).toBe('The connection is lost.');
      wait.events.instead = null;
      await expect.poll(moving(wait, wait.state)).toBe('waiting');
      wait.events.tell({ status: 'authenticated' });
      await expect.poll(wait.state).toBe('authenticated');
      expect(wait.server.asked).not.toContain('/somewhere');
    },
  );

  test('is given up when it brings no event in five seconds, and the end is heard later', async () => {
    const events = new ScriptedEvents();
    events.tellsAtOnce = false;
    const wait = await openMoved(events);
    await expect.poll(moving(wait, wait.state)).toBe('offline');
    events.instead = () =>
      new Response(statusEvent({ status: 'authenticated' }), { headers: OF_EVENTS });
    await expect.poll(moving(wait, wait.state)).toBe('authenticated');
  });

  test('waits as long as Retry-After says', async () => {
    const wait = await openWaiting(openMoved);
    const passed = async () => Number(await wait.page.evaluate('performance.now()'));
    wait.events.instead = answering(429, { 'retry-after': '10' });
    wait.events.cut();
    await expect.poll(moving(wait, () => asked(wait))).toBe(2);
    wait.events.instead = null;
    const before = await passed();
    await expect.poll(moving(wait, () => asked(wait))).toBe(3);
    expect((await passed()) - before).toBeGreaterThan(10_000);
  });

  test('has a button after ten seconds, which the keyboard reaches and leaves', async () => {
    const wait = await openWaiting(openMoved);
    wait.events.instead = answering(503);
    wait.events.cut();
    await expect.poll(moving(wait, wait.state)).toBe('offline');
    expect(await wait.text('retry')).toBe('');
    await wait.page.clock.fastForward(OFFLINE_LONG_MS);
    await expect.poll(() => wait.text('retry')).toBe('Connect now');

    await wait.page.keyboard.press('Tab');
    expect(await wait.page.evaluate(FOCUSED)).toBe('retry');
    wait.events.instead = null;
    await wait.page.keyboard.press('Enter');
    await expect.poll(moving(wait, wait.state)).toBe('waiting');
    // Where the button was there is the sentence now, and the keyboard goes on from there.
    expect(await wait.page.evaluate(FOCUSED)).toBe('live');
  });
});

describe('a back end that can not tell', () => {
  test.each(atLength([204, 401, 403, 404, 410], [204]))(
    'by %i ends the wait as failed',
    async (status) => {
      const events = new ScriptedEvents();
      events.instead = answering(status);
      const wait = await openScripted(events);
      await expect.poll(wait.state).toBe('failed');
      const end = { status: 'failed', message: null, code: 'client.refused' };
      expect(await wait.heard()).toEqual([['miftah-end', end]]);
      expect(asked(wait)).toBe(1);
    },
  );

  test('by a status that is not known has not signed anybody in', async () => {
    const wait = await openWaiting();
    wait.events.tell({ status: 'completed', message: null });
    await expect.poll(wait.state).toBe('failed');
  });
});

/** Moves the page's time on until the element has said its end. */
async function endOf(wait: Awaited<ReturnType<typeof openScripted>>, stepMs: number) {
  await expect
    .poll(async () => {
      await wait.page.clock.runFor(stepMs);
      return (await wait.heard()).length;
    })
    .toBeGreaterThan(0);
  return wait.heard();
}

const NO_EVENTS: readonly Answers[] = [
  ['JSON', answering(200, { 'content-type': 'application/json' })],
  ['a redirect', answering(303, { location: '/somewhere' })],
  ['a page', answering(200, { 'content-type': 'text/html' })],
  ['events that are no JSON', () => new Response('data: {"stat\n\n', { headers: OF_EVENTS })],
];

const UNANSWERED = [
  ['a server that is gone', noAnswer],
  ['one that can not answer', answering(503)],
] as const;
const NOWHERE = [
  ['another origin without CORS', 'https://elsewhere.example.test/events'],
  ['no address', 'https://['],
] as const;

describe('what can not be followed ends with an error', () => {
  const NETWORK = { status: 'failed', message: null, code: 'client.network' };

  test.each(atLength(NO_EVENTS, NO_EVENTS.slice(3)))('after %s, five times', async (_, instead) => {
    const events = new ScriptedEvents();
    events.instead = instead;
    const wait = await openMoved(events);
    expect(await endOf(wait, 2_000)).toEqual([['miftah-end', NETWORK]]);
    expect([await wait.state(), asked(wait)]).toEqual(['failed', 5]);
  });

  test.each(atLength(UNANSWERED, UNANSWERED.slice(0, 1)))('with %s', async (_, instead) => {
    const events = new ScriptedEvents();
    events.instead = instead;
    const wait = await openMoved(events);
    expect(await endOf(wait, 10_000)).toEqual([['miftah-end', NETWORK]]);
  });

  test.each(atLength(NOWHERE, NOWHERE.slice(0, 1)))(
    'with %s, or where the policy of the page forbids it',
    async (_, address) => {
      const attributes = { 'events-url': address };
      const wait = await openMoved(new ScriptedEvents(), { attributes });
      expect(await endOf(wait, 10_000)).toEqual([['miftah-end', NETWORK]]);
    },
  );

  test('two minutes after the time, with a server that is gone', async () => {
    const events = new ScriptedEvents();
    events.instead = noAnswer;
    const attributes = { 'expires-at': new Date(Date.now() + 5_000).toISOString() };
    const wait = await openMoved(events, { attributes });
    await endOf(wait, 10_000);
    await expect
      .poll(async () => {
        await wait.page.clock.runFor(10_000);
        return wait.heard();
      })
      .toEqual([
        ['miftah-expired', null],
        ['miftah-end', { status: 'expired', message: null, code: 'client.network' }],
      ]);
  });

  test('with a time only, when it is over', async () => {
    const attributes = { 'expires-at': new Date(Date.now() + 5_000).toISOString() };
    const wait = await openMoved(new ScriptedEvents(), {
      attributes: { ...attributes, 'events-url': null },
    });
    expect(await endOf(wait, 10_000)).toEqual([
      ['miftah-expired', null],
      ['miftah-end', { status: 'expired', message: null }],
    ]);
  });

  test('with no attribute, after ten seconds', async () => {
    const attributes = { 'events-url': null };
    const wait = await openMoved(new ScriptedEvents(), { attributes });
    const end = { status: 'failed', message: null, code: 'client.no_address' };
    expect(await endOf(wait, 5_000)).toEqual([['miftah-end', end]]);
  });
});

describe('C-21 the stream is closed', () => {
  test('at an end, also when the back end leaves it open', async () => {
    const wait = await openWaiting();
    expect(wait.events.open).toBe(1);
    wait.events.tell({ status: 'rejected', message: 'no' });
    await expect.poll(() => wait.events.open).toBe(0);
    expect(await wait.state()).toBe('rejected');
    await wait.page.evaluate(leave('pageshow'));
    await wait.page.evaluate("dispatchEvent(new Event('online'))");
    expect(asked(wait)).toBe(1);
    expect(await wait.heard()).toHaveLength(1);
  });

  test('when the element is removed: the service has nobody who waits', async () => {
    const service = await openTestService();
    await service.app.listen({ host: '127.0.0.1', port: 0 });
    const { server } = service.app;
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const attempt = await clientOf({ origin }).start({ locale: 'en', nationalId: AMAL });
    const before = server.maxConnections;
    const wait = await openWait({ browser, take, events: relaying(attempt) });
    await expect.poll(() => server.maxConnections).toBe(before + 1);
    await wait.page.evaluate(REMOVE);
    await expect.poll(() => server.maxConnections).toBe(before);
    await wait.page.evaluate(PUT_BACK);
    await expect.poll(() => server.maxConnections).toBe(before + 1);
  });

  test('while the browser keeps the page for a return, and opened again after it', async () => {
    const wait = await openWaiting();
    await wait.page.evaluate(leave('pagehide'));
    await expect.poll(() => wait.events.open).toBe(0);
    await wait.page.evaluate(leave('pageshow'));
    await expect.poll(() => wait.events.open).toBe(1);
    expect(asked(wait)).toBe(2);
    expect(await wait.state()).toBe('waiting');
  });
});

test('a page that is seen again asks at once, once, and keeps what it shows', async () => {
  const wait = await openWaiting();
  expect(asked(wait)).toBe(1);
  await wait.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await expect.poll(() => asked(wait)).toBe(2);
  await expect.poll(() => wait.events.open).toBe(1);
  expect(await wait.state()).toBe('waiting');
  expect(asked(wait)).toBe(2);
});

test('an element that is moved in its page tells its end once', async () => {
  const wait = await openWaiting();
  await wait.page.evaluate(REMOVE);
  await wait.page.evaluate(PUT_BACK);
  await expect.poll(() => asked(wait)).toBe(2);
  await expect.poll(() => wait.events.open).toBe(1);
  wait.events.tell({ status: 'rejected', message: null });
  await expect.poll(wait.state).toBe('rejected');
  await wait.page.evaluate(REMOVE);
  await wait.page.evaluate(PUT_BACK);
  expect(await wait.state()).toBe('rejected');
  // Another sign-in, which was given while the element was outside of the page.
  await wait.page.evaluate(`${REMOVE}; removed.random = '110011'; ${PUT_BACK}`);
  await expect.poll(wait.state).toBe('waiting');
  expect(asked(wait)).toBe(3);
  expect(await wait.heard()).toHaveLength(1);
});

test('an event that is read too late for its sign-in does not end the next one', async () => {
  const wait = await openWaiting();
  await wait.page.evaluate("document.querySelector('miftah-wait').random = '110011'");
  await expect.poll(() => asked(wait)).toBe(2);
  await expect.poll(wait.state).toBe('waiting');
  expect(await wait.text('digits')).toBe('110011');
  await expect.poll(() => wait.events.open).toBe(1);
});
