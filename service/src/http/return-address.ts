/**
 * The application's address with what the browser brings along: a completion code, which no log or
 * Referer will see twice, or an error.
 */
export function returnAddress(
  base: string,
  members: Readonly<Record<string, string>>,
  codeIn: 'query' | 'fragment' = 'query',
): string {
  const address = new URL(base);
  if (codeIn === 'fragment') address.hash = new URLSearchParams(members).toString();
  else for (const [name, value] of Object.entries(members)) address.searchParams.set(name, value);
  return address.href;
}
