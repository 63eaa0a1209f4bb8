// Makes the documentation's pictures again from the running program: npm run pictures

import { mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { launchChromium, openTab } from '../../../scripts/browser.ts';
import { finishRun } from '../support/canaries/finish-run.ts';
import { openRunFolder } from '../support/canaries/run-folder.ts';
import { serveEveryState } from '../support/element/every-state.ts';
import { ApiClient } from '../support/programs/api-client.ts';
import { startService } from '../support/programs/service-process.ts';

const FOLDER = fileURLToPath(new URL('../../../docs/images/', import.meta.url));
const VIEWPORT = { width: 1280, height: 800 };
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 };

const folder = openRunFolder();
// An orderly exit also ends the services of the run.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
await makePictures();
console.log(finishRun(folder));

async function makePictures(): Promise<void> {
  await using service = await startService();
  await using browser = await launchChromium();
  const client = new ApiClient(service.origin);
  const { authorization_url: address = '' } = await client.start({ locale: 'ar' });
  await picture(browser, 'sign-in.png', address);
  const phone = `${service.origin}/simulator/phone`;
  await client.start({ locale: 'ar', national_id: '1000001101' });
  await client.start({ locale: 'ar', national_id: '2000006601' });
  client.close();
  await picture(browser, 'phone-ar.png', `${phone}?locale=ar`, { ...PHONE, colorScheme: 'light' });
  await picture(browser, 'phone-en.png', `${phone}?locale=en`, { ...PHONE, colorScheme: 'dark' });
  await using states = await serveEveryState();
  await picture(browser, 'waiting-en.png', `${states.origin}/en`, { colorScheme: 'light' });
  await picture(browser, 'waiting-ar.png', `${states.origin}/ar`, { colorScheme: 'dark' });
}

async function picture(
  browser: Browser,
  name: string,
  url: string,
  look: BrowserContextOptions = {},
): Promise<void> {
  const path = join(FOLDER, name);
  mkdirSync(dirname(path), { recursive: true });
  const still = { viewport: VIEWPORT, reducedMotion: 'reduce' } as const;
  await using tab = await openTab(browser, { ...still, ...look });
  await tab.page.goto(url);
  await tab.page.evaluate('document.fonts.ready');
  if (name.startsWith('phone')) await tab.page.locator('.prompt').nth(1).waitFor();
  // The element offers its button when it has been offline for long.
  if (name.startsWith('waiting')) await tab.page.getByRole('button').waitFor();
  await tab.page.screenshot({ path });
  console.log(`${path}: ${Math.round(statSync(path).size / 1024)} KB`);
}
