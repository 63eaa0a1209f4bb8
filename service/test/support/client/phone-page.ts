import { testIds } from '@miftah/pages';
import type { Page } from 'playwright-core';
import type { openTab } from '../../../../scripts/browser.ts';
import type { Answer, ApiClient, Started } from '../programs/api-client.ts';

type Open = () => ReturnType<typeof openTab>;

/** Opens the page of the phone at this origin. */
export async function openPhoneAt(open: Open, origin: string, query = 'locale=en') {
  const tab = await open();
  await tab.page.goto(`${origin}/simulator/phone?${query}`);
  return tab;
}

/** The card of an attempt on the page of the phone. */
export const cardOf = (page: Page, { attempt_id: id }: Pick<Started, 'attempt_id'>) =>
  page.getByTestId(testIds.prompt(id));

/** The sentence that screen readers have read last. */
export const said = (page: Page) => page.locator('[data-said]:not([hidden])').textContent();

/** Refuses an attempt in another way than by the page. */
export function refuseElsewhere(
  client: ApiClient,
  { attempt_id: id }: Pick<Started, 'attempt_id'>,
): Promise<Answer> {
  const json = { 'content-type': 'application/json' };
  const body = JSON.stringify({ decision: 'refuse' });
  return client.send('POST', `/simulator/prompts/${id}/decision`, json, body);
}
