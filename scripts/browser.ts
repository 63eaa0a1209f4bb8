// The browser of the tests and of the pictures in the documentation: one way to start it for all
// workspaces, and tabs that collect whatever it complains about.

import process from 'node:process';
import {
  chromium,
  type Browser,
  type BrowserContextOptions,
  type BrowserServer,
  type LaunchOptions,
} from 'playwright-core';
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

/** The setting by which the workers of a test run are told of the Chromium that they share. */
export const CHROMIUM_SERVER = 'TEST_CHROMIUM';

/**
 * The Chromium of this machine: the one that a test run shares (test/support/chromium), else one of its
 * own. To close it is to close its tabs; one of its own ends then.
 */
export async function launchChromium(): Promise<Browser> {
  const shared = process.env[CHROMIUM_SERVER];
  return shared === undefined ? chromium.launch(launchOptions()) : chromium.connect(shared);
}

/** A Chromium that several programs can connect to. */
export function serveChromium(): Promise<BrowserServer> {
  return chromium.launchServer(launchOptions());
}

function launchOptions(): LaunchOptions {
  const executablePath = findChromium();
  if (executablePath === undefined) {
    throw new Error('No Chromium: set CHROMIUM_PATH to one, or put `chromium` on PATH.');
  }
  return { executablePath, args: FLAGS };
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
