import { page } from '../../page.ts';
import type { PersonRow } from './person.ts';

/** In the language of the page. */
export function nameOf({ arabic_name: arabic, english_name: english }: PersonRow): string {
  return page.locale === 'ar' ? arabic.full : english.full;
}
