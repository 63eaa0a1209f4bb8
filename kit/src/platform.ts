/** Workers share a process or an instance, so that no count is of one test alone. */
export function freshScope(): string {
  return `test-${crypto.randomUUID()}`;
}
