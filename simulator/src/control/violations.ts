import type { Violation } from './errors.ts';

/** `/national_id: must match ...` in its two parts; a fault of no member is one of the whole. */
export function violationOf(fault: string): Violation {
  const [, pointer = '', message = fault] = /^\/(\S*): (.*)$/s.exec(fault) ?? [];
  return { pointer: pointer === '' ? '' : `/${pointer}`, message };
}
