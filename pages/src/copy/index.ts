import type { Locale } from '../locale.ts';
import { ar } from './ar.ts';
import { en } from './en.ts';
import type { Copy } from './shape.ts';

export type { Copy };

const languages: Readonly<Record<Locale, Copy>> = { ar, en };

/** The texts of the pages in `locale`. */
export function copyIn(locale: Locale): Copy {
  return languages[locale];
}
