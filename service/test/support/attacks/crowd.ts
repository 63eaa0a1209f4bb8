/** Behind a proxy, each request can come from somebody else. */
export const BEHIND_PROXY = { TRUSTED_PROXIES: '127.0.0.1' } as const;

let people = 0;

/**
 * The headers of somebody who has not been here before, as a proxy and as a back end name them: in
 * live mode everything is counted, and no test is to spend another one's requests.
 */
export function somebody(): Record<string, string> {
  people += 1;
  const address = `10.${(people >> 16) & 255}.${(people >> 8) & 255}.${people & 255}`;
  return { 'x-forwarded-for': address, 'x-end-user-address': address };
}

/** So many at a time, in the order of the list: as a busy hour, not as a flood. */
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
