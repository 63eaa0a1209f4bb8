/** Behind a trusted proxy each request can come from another client. */
export const BEHIND_PROXY = { TRUSTED_PROXIES: '127.0.0.1' } as const;

let people = 0;

/**
 * Headers that name a new end user's address, for a proxy and for a back end. Live mode counts
 * every request, and no test must use up the quota of another one.
 */
export function somebody(): Record<string, string> {
  people += 1;
  const address = `10.${(people >> 16) & 255}.${(people >> 8) & 255}.${people & 255}`;
  return { 'x-forwarded-for': address, 'x-end-user-address': address };
}

/** Runs a few at a time, in the order of the list: a busy hour, not a flood. */
export async function eachOf<Item, Result>(
  items: readonly Item[],
  act: (item: Item, index: number) => Promise<Result>,
  atOnce = 16,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await act(item, index);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}

export function times(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}
