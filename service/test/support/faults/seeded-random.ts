/** A small random generator with a seed (mulberry32), so that a failed run can be repeated. */
export interface SeededRandom {
  /** A number from 0 to below 1. */
  fraction(): number;
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  pick<Item>(items: readonly Item[]): Item;
  chance(probability: number): boolean;
  text(length: number, alphabet: string): string;
}

export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;

  function fraction(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  const between = (low: number, high: number) => low + Math.floor(fraction() * (high - low + 1));

  function pick<Item>(items: readonly Item[]): Item {
    const item = items[between(0, items.length - 1)];
    if (item === undefined) throw new Error('there is nothing to pick from');
    return item;
  }

  return {
    fraction,
    between,
    pick,
    chance: (probability) => fraction() < probability,
    text: (length, alphabet) =>
      Array.from({ length }, () => alphabet.charAt(between(0, alphabet.length - 1))).join(''),
  };
}

/** TEST_SEED repeats a run; otherwise each run uses a new seed. */
export function chooseSeed(): number {
  const given = process.env['TEST_SEED'];
  return given === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(given);
}
