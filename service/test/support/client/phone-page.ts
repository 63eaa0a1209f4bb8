import { testIds } from '@miftah/pages';
import type { Page } from 'playwright-core';
import type { Started } from '../programs/api-client.ts';

/** The card of an attempt on the page of the phone. */
export const cardOf = (page: Page, { attempt_id: id }: Pick<Started, 'attempt_id'>) =>
  page.getByTestId(testIds.prompt(id));

/** The sentence that screen readers have read last. */
export const said = (page: Page) => page.locator('[data-said]:not([hidden])').textContent();
