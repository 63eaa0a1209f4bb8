import process from 'node:process';
import { KEPT_CHROMIUM } from '../../../scripts/browser.ts';
import { buildConsole } from '../../../scripts/console.mjs';

/** One Chromium for all test files of a worker (`launchChromium`), and the console as its sources say. */
export default async function setUp(): Promise<void> {
  await buildConsole(process.execPath);
  process.env[KEPT_CHROMIUM] = 'yes';
}
