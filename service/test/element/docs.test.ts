import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium, openTab } from '../../../scripts/browser.ts';
import { compileStandalone } from '../../../scripts/pack/compile.ts';
import { clientOf } from '../support/client/client-for-test.ts';
import { shareListeningService } from '../support/service/listening-service.ts';
import { decideOnPhone } from '../support/client/person.ts';
import { moduleOf, snippetsOf } from '../support/client/snippets.ts';
import { html, serveApplication } from '../support/element/page-server.ts';
import { EVENTS, relaying } from '../support/element/waiting-page.ts';
import { AMAL } from '../support/service/login.ts';

/** The page of docs/client.md, as it stands there, with another attempt. */

const [markup = ''] = snippetsOf('docs/client.md', 'html');
const [style = ''] = snippetsOf('docs/client.md', 'css');
const program = snippetsOf('docs/client.md', 'js').find((code) => code.includes('/element')) ?? '';

const service = shareListeningService();
let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(async () => browser.close());

test('docs/client.md has a page that waits, and goes on when the sign-in was approved', async () => {
  const attempt = await clientOf(service()).start({ locale: 'en', nationalId: AMAL });
  const page = markup
    .replace('048213', attempt.random)
    .replace('2026-01-31T09:05:00+00:00', attempt.expiresAt.toISOString());
  await using server = await serveApplication({
    files: {
      '/': html(`<!doctype html><link rel="stylesheet" href="/app.css"><title>Sign in</title>
<link rel="icon" href="data:,">${page}`),
      '/app.css': { contentType: 'text/css', body: style },
      '/app.js': {
        contentType: 'text/javascript',
        body: await compileStandalone(moduleOf(program)),
      },
      '/login/finish': html('<!doctype html><link rel="icon" href="data:,"><title>Welcome</title>'),
    },
    routes: { [EVENTS]: relaying(attempt) },
  });
  await using tab = await openTab(browser);
  await tab.page.goto(server.origin);
  const wait = tab.page.locator('miftah-wait');
  const digits = () => wait.locator('[part=digits]').textContent();
  await expect.poll(digits).toBe(attempt.random);
  const accent = wait.locator('[part=icon]').evaluate((icon) => getComputedStyle(icon).stroke);
  expect(await accent).toBe('rgb(11, 107, 79)');
  await expect.poll(() => wait.locator('[part=text]').textContent()).toContain('A push');
  await decideOnPhone(service(), attempt);
  await tab.page.waitForURL('**/login/finish');
  expect(tab.complaints).toEqual([]);
});
