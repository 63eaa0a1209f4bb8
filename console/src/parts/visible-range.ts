/** Rows that are in the page beyond what is seen, so that fast scrolling shows no gaps. */
const BEYOND = 6;

export type Range = { readonly from: number; readonly to: number };

type Place = {
  /** Of the list's beginning, from the top of the window; negative when it is above. */
  readonly top: number;
  readonly windowHeight: number;
  readonly rowHeight: number;
  readonly count: number;
};

/** The rows to put into the page, `to` not included. */
export function visibleRange({ top, windowHeight, rowHeight, count }: Place): Range {
  const first = Math.floor(-top / rowHeight) - BEYOND;
  const last = Math.ceil((windowHeight - top) / rowHeight) + BEYOND;
  return { from: clamp(first, count), to: clamp(last, count) };
}

function clamp(place: number, count: number): number {
  return Math.min(Math.max(place, 0), count);
}
