/** What the browser brings along. An address that has one of them already must not keep it. */
const OWN_MEMBERS = ['attempt_id', 'completion_code', 'error'];

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
  for (const name of OWN_MEMBERS) address.searchParams.delete(name);
  if (codeIn === 'fragment') address.hash = new URLSearchParams(members).toString();
  else for (const [name, value] of Object.entries(members)) address.searchParams.set(name, value);
  return address.href;
}
