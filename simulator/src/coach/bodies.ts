/** A text of JSON as its value; anything else as it is. */
export function parsed(body: unknown): unknown {
  if (typeof body !== 'string') return body;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

/** A text in a JSON object, by the names of the members that lead to it; undefined for none. */
export function textAt(body: unknown, ...path: readonly string[]): string | undefined {
  let value = parsed(body);
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.entries(value).find(([member]) => member === name)?.[1];
  }
  return typeof value === 'string' ? value : undefined;
}
