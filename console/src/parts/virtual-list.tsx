import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useSteadyView, useVisibleRange } from './use-visible-range.ts';
import type { Range } from './visible-range.ts';

type Properties = {
  /** The keys of all rows, in their order. */
  readonly keys: readonly string[];
  /** A row has one link, which takes the focus by `tabIndex`. */
  readonly rowAt: (place: number, tabIndex: 0 | -1) => ComponentChildren;
  readonly label: string;
  /** Called when the last row comes into the page. */
  readonly onEnd: () => void;
};

/** How far each key leads. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 10,
  PageUp: -10,
  Home: -Infinity,
  End: Infinity,
};

/**
 * A list that scrolls with the window, of which only the rows near to what is seen are in the page.
 * All have one height, the style's `--row`. The tab key reaches one row, and the arrows lead from
 * there to the others.
 */
export function VirtualList({ keys, rowAt, label, onEnd }: Properties): JSX.Element {
  const list = useRef<HTMLOListElement>(null);
  const range = useVisibleRange(list, keys.length);
  const { chosen, onKeyDown, choose } = useChosenRow(list, keys);
  useSteadyView(list, keys);
  const isEndShown = range.value.to >= keys.length;
  useEffect(() => {
    if (isEndShown) onEnd();
  }, [isEndShown, keys.length, onEnd]);
  return (
    <ol
      ref={list}
      class="virtual"
      aria-label={label}
      style={{ blockSize: `calc(${keys.length} * var(--row))` }}
      onKeyDown={onKeyDown}
    >
      {placesIn(range.value, chosen).map((place) => (
        <li
          key={keys[place]}
          data-place={place}
          aria-setsize={keys.length}
          aria-posinset={place + 1}
          style={{ insetBlockStart: `calc(${place} * var(--row))` }}
          onFocusIn={() => choose(place)}
        >
          {rowAt(place, place === chosen ? 0 : -1)}
        </li>
      ))}
    </ol>
  );
}

/** The row that the tab key reaches: it stays the same one while others come and go. */
function useChosenRow(list: { readonly current: HTMLElement | null }, keys: readonly string[]) {
  const key = useSignal<string | undefined>(undefined);
  const isMoved = useRef(false);
  const chosen = Math.max(0, key.value === undefined ? 0 : keys.indexOf(key.value));
  useLayoutEffect(() => {
    if (!isMoved.current) return;
    isMoved.current = false;
    list.current?.querySelector<HTMLElement>(`[data-place="${chosen}"] a`)?.focus();
  });
  const choose = (place: number) => (key.value = keys[place]);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    isMoved.current = true;
    choose(Math.min(Math.max(chosen + step, 0), keys.length - 1));
  };
  return { chosen, choose, onKeyDown };
}

/** The chosen row is always in the page, so that it does not lose the focus. */
function placesIn({ from, to }: Range, chosen: number): readonly number[] {
  const places = Array.from({ length: to - from }, (_, index) => from + index);
  if (chosen < from) return [chosen, ...places];
  return chosen >= to && to > 0 ? [...places, chosen] : places;
}
