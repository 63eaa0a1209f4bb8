// The browser for tests and for the documentation's pictures: one way to start it for all
// workspaces, and tabs that collect its errors and warnings.

import process from 'node:process';
import {
  chromium,
  type Browser,
  type BrowserContextOptions,
  type LaunchOptions,
} from 'playwright-core';
import { FEATURES_OFF } from './chromium-features.ts';
import { findChromium } from './chromium.mjs';

const FLAGS = [
  `--disable-features=${FEATURES_OFF.join(',')}`,
  '--no-sandbox',
  '--disable-gpu',
  // Turns off everything that would use the network on its own.
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The environment variable that tells the workers of a test run to keep the Chromium they start. */
export const KEPT_CHROMIUM = 'TEST_CHROMIUM_KEPT';

let kept: Promise<Browser> | undefined;

/**
 * A new Chromium, or in a worker of a test run the one that it has. `close` closes the tabs; a
 * Chromium that is not kept then ends too.
 */
export async function launchChromium(): Promise<Browser> {
  if (process.env[KEPT_CHROMIUM] === undefined) return chromium.launch(launchOptions());
  return (kept ??= keepChromium());
}

async function keepChromium(): Promise<Browser> {
  const browser = await chromium.launch(launchOptions());
  browser.close = async () => {
    for (const context of browser.contexts()) await context.close();
  };
  return browser;
}

function launchOptions(): LaunchOptions {
  const executablePath = findChromium();
  if (executablePath === undefined) {
    throw new Error('No Chromium: set CHROMIUM_PATH to one, or put `chromium` on PATH.');
  }
  return { executablePath, args: FLAGS };
}

/**
 * A new context in which nothing moves unless a test asks for that: a page with an animation is
 * painted again and again for as long as it waits, and a colour could be measured in the middle of a
 * transition.
 */
export async function openContext(browser: Browser, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  const waitMs = process.env['TEST_WAIT_MS'];
  if (waitMs !== undefined) context.setDefaultTimeout(Number(waitMs));
  return context;
}

/** Opens a new tab that collects everything the browser reports as wrong. */
export async function openTab(browser: Browser, options: BrowserContextOptions = {}) {
  const context = await openContext(browser, options);
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
