/** Parameters that we add. If the application's address already has one of them, it is removed. */
const OWN_MEMBERS = ['attempt_id', 'completion_code', 'error'];

/**
 * The application's return address with the members that the browser takes there: the attempt's id,
 * and a completion code or an error.
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
