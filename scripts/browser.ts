// The browser of the tests and of the pictures in the documentation: one way to start it for all
// workspaces, and tabs that collect whatever it complains about.

import { chromium, type Browser, type BrowserContextOptions } from 'playwright-core';
import { findChromium } from './chromium.mjs';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  // Nothing that would reach for the network by itself.
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts the Chromium of this machine. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) {
    throw new Error('No Chromium: set CHROMIUM_PATH to one, or put `chromium` on PATH.');
  }
  return chromium.launch({ executablePath, args: FLAGS });
}

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
