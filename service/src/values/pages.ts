/**
 * Reads rows in pages, one after the other, until a page is not full.
 * @param read gets the place after which the page begins
 * @param placeOf of the last row of a page, where the next one begins
 */
export async function* inPages<Row, Place>(
  read: (after: Place) => Promise<readonly Row[]>,
  first: Place,
  { size, placeOf }: { readonly size: number; readonly placeOf: (row: Row) => Place },
): AsyncGenerator<readonly Row[]> {
  for (let after = first; ;) {
    const rows = await read(after);
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < size) return;
    after = placeOf(last);
  }
}
