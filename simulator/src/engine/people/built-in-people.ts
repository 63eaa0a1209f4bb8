import cast from '../../../people.json' with { type: 'json' };
import { LOCALES } from '../locale.ts';
import { DOCUMENT_TYPES } from './national-id.ts';
import type { People } from './people.ts';
import { peopleOf, type PersonRow } from './people-file.ts';
import { GENDERS } from './person.ts';

/**
 * The test people that are part of the simulator. A test checks their file as a people file is
 * checked; here that would take a tenth of each start.
 */
export const BUILT_IN_PEOPLE: People = peopleOf(
  cast.people.map((row): PersonRow => {
    const document_type = oneIn(DOCUMENT_TYPES, row.document_type);
    const gender = oneIn(GENDERS, row.gender);
    return {
      ...row,
      document_type,
      gender,
      preferred_locale: oneIn(LOCALES, row.preferred_locale),
    };
  }),
);

function oneIn<Value extends string>(values: readonly Value[], text: string): Value {
  const found = values.find((value) => value === text);
  if (found === undefined) throw new Error(`people.json has ${text}, which nobody can have`);
  return found;
}
