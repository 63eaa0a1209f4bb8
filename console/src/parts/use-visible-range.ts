import { useSignal, type ReadonlySignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { visibleRange, type Range } from './visible-range.ts';

const NOTHING: Range = { from: 0, to: 0 };

type List = RefObject<HTMLElement | null>;

/** Which rows of a list are near to what is seen, as the window scrolls and the list changes. */
export function useVisibleRange(list: List, count: number): ReadonlySignal<Range> {
  const range = useSignal<Range>(NOTHING);
  const look = useCallback(() => {
    if (list.current === null) return;
    const rowHeight = rowHeightOf(list, count);
    // A list that is not shown has no height, and keeps what it has.
    if (rowHeight === 0 && count > 0) return;
    const { top } = list.current.getBoundingClientRect();
    const place = { top, windowHeight: innerHeight, rowHeight, count };
    const seen = count === 0 ? NOTHING : visibleRange(place);
    const { from, to } = range.peek();
    if (seen.from !== from || seen.to !== to) range.value = seen;
  }, [count]);
  useLayoutEffect(look, [look]);
  useEffect(() => {
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [look]);
  return range;
}

/** Keeps what is seen in its place while rows are added above it. */
export function useSteadyView(list: List, keys: readonly string[]): void {
  const firstKey = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    const added = firstKey.current === undefined ? 0 : keys.indexOf(firstKey.current);
    firstKey.current = keys[0];
    if (added <= 0 || list.current === null) return;
    if (list.current.getBoundingClientRect().top >= 0) return;
    scrollBy({ top: added * rowHeightOf(list, keys.length), behavior: 'instant' });
  }, [keys]);
}

function rowHeightOf({ current }: List, count: number): number {
  return current === null || count === 0 ? 0 : current.offsetHeight / count;
}
