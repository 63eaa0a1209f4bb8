import { describe, expect, it } from 'vitest';
import { launchChromium, openTab } from '../../../scripts/browser.ts';
import { misplacedCodes } from '../../../scripts/reading-order.ts';
import { ERROR_CODES } from '@miftah/contract/errors';
import { createMemoryStore } from '../../src/store/index.ts';
import { openTestService } from '../support/service/test-service.ts';

describe('the Arabic page of each error', () => {
  it('shows codes, addresses and header lines in order', async () => {
    const { app } = await openTestService({
      parts: { openStore: async () => createMemoryStore() },
    });
    await using browser = await launchChromium();
    await using tab = await openTab(browser, { viewport: { width: 360, height: 800 } });
    const headers = { accept: 'text/html' };
    const found: string[] = [];
    for (const path of ['', ...ERROR_CODES.map((code) => `/${code}`)]) {
      const url = `/errors${path}?locale=ar`;
      const answer = await app.inject({ url, headers });
      expect(answer.body).toContain('dir="rtl"');
      await tab.page.setContent(answer.body);
      const misplaced = await misplacedCodes(tab.page);
      found.push(...misplaced.map((code) => `${path}: ${code}`));
    }

    expect(found).toEqual([]);
  });
});
