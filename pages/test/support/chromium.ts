import { chromium, type Browser } from 'playwright-core';
import { findChromium } from '../../../scripts/chromium.mjs';

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
