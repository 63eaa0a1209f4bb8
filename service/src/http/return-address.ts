/** The application's address with the completion code, which no log or Referer will see twice. */
export function returnAddress(
  base: string,
  attemptId: string,
  completionCode: string,
  codeIn: 'query' | 'fragment' = 'query',
): string {
  const address = new URL(base);
  if (codeIn === 'query') {
    address.searchParams.set('attempt_id', attemptId);
    address.searchParams.set('completion_code', completionCode);
  } else {
    const members = { attempt_id: attemptId, completion_code: completionCode };
    address.hash = new URLSearchParams(members).toString();
  }
  return address.href;
}
