/** A member of something that came from outside, where it is text; else the empty text. */
export function textMember(value: unknown, name: string): string {
  if (typeof value !== 'object' || value === null) return '';
  const member: unknown = Object.getOwnPropertyDescriptor(value, name)?.value;
  return typeof member === 'string' ? member : '';
}
