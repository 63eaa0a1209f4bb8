import { describe, expect, it } from 'vitest';
import { visibleRange } from './visible-range.ts';

const ROW = 50;
const place = { windowHeight: 500, rowHeight: ROW, count: 10_000 };
const rowsIn = (top: number, count = place.count) => visibleRange({ ...place, top, count });

describe('the rows of a long list that are in the page', () => {
  it('are those that are seen, and six beyond on each side', () => {
    expect(rowsIn(-100 * ROW)).toEqual({ from: 94, to: 116 });
  });

  it('begin with the first, and end with the last', () => {
    expect(rowsIn(200)).toEqual({ from: 0, to: 12 });
    expect(rowsIn(-9995 * ROW)).toEqual({ from: 9989, to: 10_000 });
    expect(rowsIn(0, 3)).toEqual({ from: 0, to: 3 });
  });

  it('are none while the list is far below the window, or above it', () => {
    expect(rowsIn(5000)).toEqual({ from: 0, to: 0 });
    expect(rowsIn(-600_000)).toEqual({ from: 10_000, to: 10_000 });
  });

  it('are never more than a window holds', () => {
    for (let top = 1000; top > -510_000; top -= 777) {
      const { from, to } = rowsIn(top);
      expect(to - from).toBeLessThanOrEqual(500 / ROW + 13);
    }
  });
});
