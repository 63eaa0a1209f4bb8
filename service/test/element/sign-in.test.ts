import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../../scripts/browser.ts';
import { tabInTurn } from '../../../scripts/shared-tab.ts';
import { clientOf } from '../support/client/client-for-test.ts';
import { shareListeningService } from '../support/service/listening-service.ts';
import { decideOnPhone } from '../support/client/person.ts';
import { attributesOf, openWait, relaying } from '../support/element/waiting-page.ts';
import { startServiceForTest } from '../support/programs/for-test.ts';
import { findFreePort } from '../support/programs/service-process.ts';
import { AMAL } from '../support/service/login.ts';

/** `<miftah-wait>` on the page of an application that relays the events of the real service. */

const service = shareListeningService();
let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(async () => browser.close());
const take = tabInTurn(() => browser);

async function startByPhone(origin: { readonly origin: string } = service()) {
  const attempt = await clientOf(origin).start({ locale: 'en', nationalId: AMAL });
  const events = relaying(attempt);
  const wait = await openWait({ browser, take, events, attributes: attributesOf(attempt) });
  await expect.poll(wait.state).toBe('waiting');
  return { attempt, wait };
}

describe('C-19 <miftah-wait> during a sign-in by phone', () => {
  test.each([
    ['approve', 'authenticated', 'The sign-in was approved.', null],
    ['refuse', 'rejected', 'The request was refused.', /.+/],
  ] as const)(
    'shows the number and the time, then the end: %s',
    async (decision, end, text, why) => {
      const { attempt, wait } = await startByPhone();
      expect(await wait.text('digits')).toBe(attempt.random);
      expect(await wait.text('time')).toMatch(/^(?:5:00|[2-4]:\d\d)$/);
      expect(await wait.text('text')).toBe('A push has been sent to the phone.');

      await decideOnPhone(service(), attempt, decision);
      await expect.poll(wait.state).toBe(end);
      expect(await wait.text('text')).toBe(text);
      expect(await wait.text('digits')).toBe('');
      expect(await wait.text('time')).toBe('');
      const message: unknown = why === null ? null : expect.stringMatching(why);
      expect(await wait.heard()).toEqual([['miftah-end', { status: end, message }]]);
      expect(wait.complaints).toEqual([]);
    },
  );

  test('says that it failed when the attempt can not be followed', async () => {
    const client = clientOf(service());
    const kept = JSON.parse((await client.start({ locale: 'en' })).export()) as object;
    const foreign = client.resume(JSON.stringify({ ...kept, token: 'x'.repeat(64) }));
    const wait = await openWait({ browser, take, events: relaying(foreign) });
    await expect.poll(wait.state).toBe('failed');
    expect(await wait.heard()).toEqual([
      ['miftah-end', { status: 'failed', message: null, code: 'attempt.not_found' }],
    ]);
    expect(await wait.text('text')).toBe('The sign-in did not succeed.');
  });

  test('goes on over a restart of the service', async () => {
    const port = await findFreePort();
    const first = await startServiceForTest({ port });
    const { attempt, wait } = await startByPhone(first);
    await first.kill();
    const second = await startServiceForTest({ port, dataDir: first.dataDir });
    await decideOnPhone(second, attempt);
    await expect.poll(wait.state).toBe('authenticated');
    expect(wait.server.asked.filter((path) => path === '/login/events')).toHaveLength(1);
    expect(wait.complaints).toEqual([]);
  });

  test('C-22 asks no other origin for anything', async () => {
    const { wait } = await startByPhone();
    const origins = wait.requested
      .filter((url) => !url.startsWith('data:'))
      .map((url) => new URL(url).origin);
    expect(new Set(origins)).toEqual(new Set([wait.server.origin]));
    expect(wait.server.asked).toContain('/login/events');
  });
});
