import { nothing, openObject, string, union, type Static } from '@miftah/schema';
import type { Engine } from '../engine/engine.ts';

const text = string();

const Named = openObject({ id: text, ar: text, en: text });

/** An invented person, by id and full name; null for anybody else. */
export const PersonText = union(Named, nothing());

/** Who is invented is nobody real, so the name may be shown. @returns null for nobody of the scope */
export function personText(
  engine: Engine,
  scope: string,
  nationalId: string | null,
): Static<typeof PersonText> {
  const { directory } = engine.scopes.of(scope);
  const person = nationalId === null ? null : directory.ownerOf(nationalId);
  if (person === null) return null;
  return { id: person.id, ar: person.arabicName.full, en: person.englishName.full };
}
