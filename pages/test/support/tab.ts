import type { Browser, BrowserContextOptions } from 'playwright-core';

/** A tab of its own, which collects all that the browser complains about. */
export async function openTab(browser: Browser, options: BrowserContextOptions = {}) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(`${page.url()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.message}`));
  page.on('dialog', (dialog) => complaints.push(`${page.url()}: a dialog ${dialog.message()}`));
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.url()}: ${response.status()}`);
  });
  const close = async () => context.close();
  return { page, complaints, [Symbol.asyncDispose]: close };
}
