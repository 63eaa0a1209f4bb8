import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import { atLength } from '../../../../scripts/test-length.ts';

/** The screens of phones, upright and on their side, in CSS pixels. */
const EVERY_PHONE = [
  { width: 320, height: 568 },
  { width: 375, height: 667 },
  { width: 390, height: 844 },
  { width: 667, height: 375 },
] as const;
/** The narrowest and the lowest in `npm test`. */
export const PHONES = atLength(EVERY_PHONE, [EVERY_PHONE[0], EVERY_PHONE[3]] as const);

/** Waits until the whole of it can be seen without scrolling. */
export async function expectInView(shown: Locator): Promise<void> {
  const place = async () => {
    const box = await shown.boundingBox();
    const { width, height } = shown.page().viewportSize() ?? { width: 0, height: 0 };
    if (box === null) return 'not shown';
    const isIn = box.x >= 0 && box.y >= 0;
    const fits = box.x + box.width <= width && box.y + box.height <= height;
    return isIn && fits ? 'in view' : `${JSON.stringify(box)} on ${width} by ${height}`;
  };
  await expect.poll(place).toBe('in view');
}
