/** Up to this length a name may be off by one letter only. */
const SHORT = 7;

/** Up to this length a name with another letter in it is another word: `en` and `es`. */
const SHORTEST = 3;

/**
 * The one of `names` that `written` was probably meant to be: in other letters (a capital, a hyphen
 * for an underscore), or off by two letters at most; in a short name by one that is wrong, missing,
 * too many, or changed places with the next.
 * @param words up to how many letters a name with a wrong letter in it is another word. It is more
 *   where names of others stand too: in the environment, COST is no misspelt HOST
 * @returns undefined where none is that near, or `written` is one of them
 */
export function nearestOf(
  written: string,
  names: readonly string[],
  words = SHORTEST,
): string | undefined {
  if (names.includes(written)) return undefined;
  const word = plain(written);
  let [found, fewest]: [string | undefined, number] = [undefined, Infinity];
  for (const name of names) {
    const known = plain(name);
    const most = known.length <= SHORT ? 1 : 2;
    // Nothing long is compared: whoever sends a request chooses what is written.
    if (Math.abs(known.length - word.length) > most) continue;
    const letters = lettersBetween(word, known, known.length <= words ? 2 : 1);
    if (letters <= most && letters < fewest) [found, fewest] = [name, letters];
  }
  return found;
}

/** ` (did you mean "x"?)` for the text of an error; empty where no name is near. */
export function meant(written: string, names: readonly string[]): string {
  return meantAs(nearestOf(written, names));
}

/** The same where the nearest name is known; undefined: there is none. */
export function meantAs(name: string | undefined): string {
  return name === undefined ? '' : ` (did you mean ${JSON.stringify(name)}?)`;
}

const plain = (name: string) => name.toUpperCase().replaceAll('-', '_');

/**
 * The distance of Damerau and Levenshtein, in which no letter changes twice.
 * @param exchanged what a letter in the place of another one counts
 */
function lettersBetween(a: string, b: string, exchanged: number): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const next = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      next[column] = Math.min(
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : exchanged),
        isSwapped ? (before[column - 2] ?? Infinity) + 1 : Infinity,
      );
    }
    [before, last] = [last, next];
  }
  return last[b.length] ?? 0;
}
