import process from 'node:process';
import { CHROMIUM_SERVER, serveChromium } from '../../../scripts/browser.ts';
import { buildConsole } from '../../../scripts/console.mjs';

/**
 * One Chromium for all test files of a run, which `launchChromium` connects to, and the console as
 * its sources say.
 */
export default async function setUp(): Promise<() => Promise<void>> {
  await buildConsole(process.execPath);
  const server = await serveChromium();
  process.env[CHROMIUM_SERVER] = server.wsEndpoint();
  return () => server.close();
}
