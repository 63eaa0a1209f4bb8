/** The places of the centres of alignment patterns, in both directions, for versions 1 to 9. */
const ALIGNMENT: readonly (readonly number[])[] = [
  [],
  [6, 18],
  [6, 22],
  [6, 26],
  [6, 30],
  [6, 34],
  [6, 22, 38],
  [6, 24, 42],
  [6, 26, 46],
];

/** Tells the modules that are the same in every symbol of a version from those of its codewords. */
export function functionModules(version: number): (row: number, column: number) => boolean {
  const size = 17 + 4 * version;
  const last = size - 9;
  const centres = ALIGNMENT[version - 1] ?? [];
  const isAligned = (row: number, column: number) =>
    centres.some((down) =>
      centres.some(
        (across) =>
          !inFinder(down, across) && Math.abs(row - down) <= 2 && Math.abs(column - across) <= 2,
      ),
    );
  /** Finders with their margins, and the format beside them. */
  const inFinder = (row: number, column: number) =>
    (row <= 8 && column <= 8) || (row <= 8 && column > last) || (row > last && column <= 8);
  const inVersion = (row: number, column: number) =>
    version >= 7 &&
    ((row < 6 && column >= size - 11 && column < size - 8) ||
      (column < 6 && row >= size - 11 && row < size - 8));
  return (row, column) =>
    row === 6 ||
    column === 6 ||
    inFinder(row, column) ||
    inVersion(row, column) ||
    isAligned(row, column);
}
