import { memberOf } from '../../values/member.ts';

/** A member of an untrusted value if it is text; otherwise the empty text. */
export function textMember(value: unknown, name: string): string {
  const member = memberOf(value, name);
  return typeof member === 'string' ? member : '';
}
