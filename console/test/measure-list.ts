// Measures the list of attempts in Chromium: node console/test/measure-list.ts. What an event costs,
// and what a step of scrolling costs, must not grow with the number of attempts.

import process from 'node:process';
import type { Browser } from 'playwright-core';
import { launchChromium, openTab } from '../../scripts/browser.ts';
import { buildConsole } from '../../scripts/console.mjs';
import { openConsole } from './support/open-console.ts';
import { rowOf, rowsFrom } from './support/samples.ts';
import { SimulatedApi } from './support/simulated-api.ts';

const SIZES = [200, 1000, 10_000];
const ROUNDS = 200;

await buildConsole(process.execPath);
const browser = await launchChromium();
for (const size of SIZES) console.log(await measure(browser, size));
await browser.close();

/** The processor time of the page for each event and each step, and the rows that are in the page. */
async function measure(chromium: Browser, size: number): Promise<string> {
  const api = new SimulatedApi();
  await api.start();
  api.rows = rowsFrom(size, size);
  await using tab = await openTab(chromium, { viewport: { width: 1280, height: 800 } });
  const { page } = await openConsole(tab, api);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable');
  const spentMs = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000;
  };
  const each = async (work: (round: number) => Promise<unknown>) => {
    const before = await spentMs();
    for (let round = 1; round <= ROUNDS; round += 1) await work(round);
    return ((await spentMs()) - before) / ROUNDS;
  };
  const event = await each(async (round) => {
    api.tell(rowOf(size + round));
    await page.evaluate('new Promise(requestAnimationFrame)');
  });
  const step = await each((round) =>
    page.evaluate(`scrollTo(0, ${round * 90}); new Promise(requestAnimationFrame)`),
  );
  const rows = await page.locator('.virtual > li').count();
  await api.stop();
  const times = `${event.toFixed(1)} ms for an event, ${step.toFixed(1)} ms for a step of scrolling`;
  return `${size} attempts: ${times}, ${rows} rows in the page`;
}
