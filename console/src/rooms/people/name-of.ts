import type { PersonRow } from '@miftah/contract/control';
import { page } from '../../page.ts';

/** In the language of the page. */
export function nameOf({ arabic_name: arabic, english_name: english }: PersonRow): string {
  return page.locale === 'ar' ? arabic.full : english.full;
}
