import type { Violation } from '@miftah/contract/control-client';

/** The fields of the form by the members that they are about. */
const FIELDS: Readonly<Record<string, string>> = {
  '/id': 'id',
  '/about': 'about',
  '/default': 'default',
  '/national_id': 'national_id',
  '/document_type': 'document_type',
  '/gender': 'gender',
  '/nationality/code': 'code',
  '/nationality/number': 'number',
  '/birth_date': 'birth_date',
  '/email': 'email',
  '/assurance_level': 'assurance_level',
  '/preferred_locale': 'preferred_locale',
  // The whole name follows from its parts, so a fault of it is one of the first part.
  '/arabic_name/full': 'arabic_name.first',
  '/english_name/full': 'english_name.first',
};

export type FieldFaults = {
  readonly fields: ReadonlyMap<string, string>;
  /** Of no field. */
  readonly others: readonly string[];
};

/** The fault of a field in which nothing was written, whatever the simulator says of it. */
export const NEEDED = 'needed';

/** Puts each fault at its field: the first one, if there are several. */
export function faultsByField(
  violations: readonly Violation[],
  isEmpty: (field: string) => boolean = () => false,
): FieldFaults {
  const fields = new Map<string, string>();
  const others: string[] = [];
  for (const { pointer, message } of violations) {
    const [, name, part] =
      /^\/(arabic_name|english_name)\/(first|second|third|last)$/.exec(pointer) ?? [];
    const field = name === undefined ? FIELDS[pointer] : `${name}.${part}`;
    if (field === undefined) others.push(`${pointer} ${message}`.trim());
    else if (!fields.has(field)) fields.set(field, isEmpty(field) ? NEEDED : message);
  }
  return { fields, others };
}
