import { testIds } from '@miftah/pages';
import { expect, it } from 'vitest';
import { FIREFOX_HELP, findFirefox } from '../../../scripts/firefox.mjs';
import { startFirefox } from '../support/firefox/firefox.ts';
import { share } from '../support/at-end.ts';
import { simulate } from '../support/client/web-example.ts';
import { ApiClient } from '../support/programs/api-client.ts';

/**
 * The pages in a browser of another maker, where the machine has one. Where it has none, the run
 * says so.
 */

const AMAL = '1000001101';

const found = findFirefox();
if (found === undefined) console.error(FIREFOX_HELP);

const firefox = share(async (atEnd) => {
  if (found === undefined) return null;
  const started = await startFirefox(found);
  atEnd(() => started.end());
  return started;
});
const service = share((atEnd) => simulate({}, atEnd));
const selectorOf = (testId: string) => `[data-testid="${testId}"]`;

it('the phone shows a push in Firefox, and approves it by the right number', async () => {
  const { provider } = service();
  await using tab = await firefox()?.openTab();
  if (tab === undefined) return;
  await tab.open(`${provider}/simulator/phone?locale=ar`);
  await tab.waitFor(selectorOf(testIds.phoneEmpty));
  const client = new ApiClient(provider);
  const started = await client.start({ locale: 'ar', national_id: AMAL });
  await tab.click(selectorOf(testIds.number(started.random ?? '')));
  await tab.waitFor(selectorOf(testIds.phoneEmpty));
  const { json } = await client.status(started);
  expect(json).toMatchObject({ data: { status: 'authenticated' } });
  expect(await tab.evaluate('document.documentElement.dir')).toBe('rtl');
  expect(tab.complaints).toEqual([]);
});

it.each(['ar', 'en'])('the console opens in Firefox, in %s', async (locale) => {
  const { provider } = service();
  await using tab = await firefox()?.openTab();
  if (tab === undefined) return;
  await tab.open(`${provider}/console?locale=${locale}`);
  await tab.waitFor('[data-testid="room-attempts"]');
  expect(await tab.evaluate('document.documentElement.lang')).toBe(locale);
  expect(tab.complaints).toEqual([]);
});
