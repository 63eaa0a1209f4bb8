/** A member of an untrusted value if it is text; otherwise the empty text. */
export function textMember(value: unknown, name: string): string {
  if (typeof value !== 'object' || value === null) return '';
  const member: unknown = Object.getOwnPropertyDescriptor(value, name)?.value;
  return typeof member === 'string' ? member : '';
}
