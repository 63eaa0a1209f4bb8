import { page } from '../page.ts';
import { ar } from './ar.ts';
import { en } from './en.ts';
import type { Words } from './shape.ts';

export type { Words };

/** The texts of the page's language, which a page has from its load to its end. */
export const words: Words = page.locale === 'en' ? en : ar;
