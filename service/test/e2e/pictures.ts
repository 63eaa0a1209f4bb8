// Makes the documentation's pictures again from the running programs: npm run pictures, or
// npm run pictures -- NAME for the pictures of one page.

import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { launchChromium, openTab } from '../../../scripts/browser.ts';
import { finishRun } from '../support/canaries/finish-run.ts';
import { openRunFolder } from '../support/canaries/run-folder.ts';
import {
  fileOf,
  HEIGHTS,
  LOCALES,
  LOOKS,
  SHOWN,
  SIZES,
  type Look,
  type Shown,
} from '../support/pictures/names.ts';
import { digestOf, KeptPictures } from '../support/pictures/kept.ts';
import { preparePlaces, waitingPlace, type Place } from '../support/pictures/places.ts';
import { startService } from '../support/programs/service-process.ts';

const FOLDER = fileURLToPath(new URL('../../../docs/images/', import.meta.url));
/** Letters and lines stay sharp; lossless pictures are three times as large. */
const QUALITY = 70;

const folder = openRunFolder();
// An orderly exit also ends the services of the run.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
await makePictures(process.argv.slice(2));
console.log(finishRun(folder));

async function makePictures(asked: readonly string[]): Promise<void> {
  await using service = await startService();
  await using strict = await startService({
    settings: { STRICT: 'yes', ALLOWED_HOSTS: 'localhost' },
  });
  await using browser = await launchChromium();
  mkdirSync(FOLDER, { recursive: true });
  const kept = new KeptPictures(FOLDER, asked.length === 0);
  const origins = { simulation: service.origin, strict: strict.origin };
  for (const locale of LOCALES) {
    const places = await preparePlaces(origins, locale);
    for (const shown of SHOWN) {
      if (asked.length > 0 && !asked.includes(shown)) continue;
      const sizes: number[] = [];
      for (const look of LOOKS.filter((one) => one.locale === locale)) {
        if (shown === 'waiting') {
          await using place = await waitingPlace(locale);
          sizes.push(await picture(browser, kept, { shown, place, look }));
        } else {
          sizes.push(await picture(browser, kept, { shown, place: places[shown], look }));
        }
      }
      console.log(
        `${shown} ${locale}: ${sizes.map((size) => Math.round(size / 1024)).join(', ')} KB`,
      );
    }
  }
  kept.write();
  if (asked.length === 0) removeOthers();
}

/** Pictures of pages that are there no more. */
function removeOthers(): void {
  const names = new Set(SHOWN.flatMap((shown) => LOOKS.map((look) => fileOf(shown, look))));
  for (const name of readdirSync(FOLDER)) {
    if (/\.(?:webp|png)$/.test(name) && !names.has(name)) rmSync(join(FOLDER, name));
  }
}

/** @returns the size of its file in bytes */
async function picture(
  browser: Browser,
  kept: KeptPictures,
  { shown, place, look }: { readonly shown: Shown; readonly place: Place; readonly look: Look },
): Promise<number> {
  const name = fileOf(shown, look);
  const path = join(FOLDER, name);
  const { locale, scheme: colorScheme, size } = look;
  const still = { reducedMotion: 'reduce', colorScheme, locale } as const;
  const { viewport, deviceScaleFactor } = SIZES[size];
  const height = (size === 'desktop' ? HEIGHTS[shown] : undefined) ?? viewport.height;
  const window = { viewport: { ...viewport, height }, deviceScaleFactor };
  await using tab = await openTab(browser, { ...window, ...still });
  await tab.page.goto(typeof place.url === 'string' ? place.url : await place.url());
  await tab.page.locator(place.ready).first().waitFor();
  await tab.page.evaluate('document.fonts.ready');
  const isKept = kept.isOf(name, await digestOf(tab.page, { ...window, ...still }));
  if (!isKept) await tab.page.screenshot({ path, type: 'webp', quality: QUALITY });
  return statSync(path).size;
}
