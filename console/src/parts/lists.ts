// What newer browsers have as methods of lists. The oldest that the console is for do not.

/** The list in an order, as another list. */
export function sorted<Item>(
  list: readonly Item[],
  order: (one: Item, other: Item) => number,
): Item[] {
  // oxlint-disable-next-line unicorn/no-array-sort -- of a copy, where there may be no toSorted
  return [...list].sort(order);
}

/** The place of the last item that passes the test; -1 for none. */
export function lastIndexOf<Item>(list: readonly Item[], test: (item: Item) => boolean): number {
  return list.map(test).lastIndexOf(true);
}

/** The last item that passes the test. */
export function lastOf<Item>(
  list: readonly Item[],
  test: (item: Item) => boolean,
): Item | undefined {
  return list[lastIndexOf(list, test)];
}
