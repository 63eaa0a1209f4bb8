/** Parameters that we add. If the application's address already has one of them, it is removed. */
const OWN_MEMBERS: ReadonlySet<string> = new Set(['attempt_id', 'completion_code', 'error']);

/**
 * The application's return address with the members that the browser takes there: the attempt's id,
 * and a completion code or an error. What its query has besides comes back as it was listed.
 */
export function returnAddress(
  base: string,
  members: Readonly<Record<string, string>>,
  codeIn: 'query' | 'fragment' = 'query',
): string {
  const address = new URL(base);
  const added = new URLSearchParams(members).toString();
  // Joined as text: `searchParams` would write every member anew, in the encoding of forms.
  const listed = address.search.slice(1).split('&').filter(isOfApplication).join('&');
  address.search = [listed, codeIn === 'query' ? added : ''].filter(Boolean).join('&');
  if (codeIn === 'fragment') address.hash = added;
  return address.href;
}

/** @param part one `name=value` of a query */
function isOfApplication(part: string): boolean {
  return [...new URLSearchParams(part).keys()].every((name) => !OWN_MEMBERS.has(name));
}
