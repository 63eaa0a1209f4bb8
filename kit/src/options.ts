/** JavaScript may give names that do not exist, which would change nothing and be found late. */
export function requireKnown(call: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new TypeError(`${call} takes ${known.join(', ')}, and not ${unknown.join(', ')}.`);
}
