import type { Person as ShownPerson } from '@miftah/pages';
import type { DocumentType } from '../engine/national-id.ts';
import type { Person } from '../engine/person.ts';

const KINDS = {
  nin: 'citizen',
  iqama: 'resident',
  visa: 'visitor',
  border: 'border',
} as const satisfies Record<DocumentType, ShownPerson['kind']>;

/** A person as the pages show one. */
export function shownPerson(person: Person, fallback: Person): ShownPerson {
  return {
    id: person.id,
    arabicName: person.arabicName.full,
    englishName: person.englishName.full,
    kind: KINDS[person.documentType],
    nationalId: person.nationalId,
    default: person.id === fallback.id,
  };
}
