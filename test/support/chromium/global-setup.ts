import process from 'node:process';
import { CHROMIUM_SERVER, serveChromium } from '../../../scripts/browser.ts';

/** One Chromium for all test files of a run; `launchChromium` connects to it. */
export default async function setUp(): Promise<() => Promise<void>> {
  const server = await serveChromium();
  process.env[CHROMIUM_SERVER] = server.wsEndpoint();
  return () => server.close();
}
