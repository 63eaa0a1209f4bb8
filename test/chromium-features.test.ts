import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { OFF_IN_PLAYWRIGHT } from '../scripts/chromium-features.ts';

it('the tests turn off in Chromium what Playwright turns off, also after an update of it', () => {
  const bundle = createRequire(import.meta.url).resolve('playwright-core/lib/coreBundle');
  const [, list = ''] = /disabledFeatures = \[(.*?)\]/s.exec(readFileSync(bundle, 'utf8')) ?? [];
  const named = [...list.matchAll(/^ *"(\w+)",?$/gm)].map(([, name]) => name);
  expect(OFF_IN_PLAYWRIGHT).toEqual(named);
});
