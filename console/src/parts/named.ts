/** The name of something in the page's language; as it came where the console has none for it. */
export function named(known: Readonly<Record<string, string>>, key: string): string {
  return (Object.hasOwn(known, key) ? known[key] : undefined) ?? key;
}
