import type { Locale } from '../locale.ts';
import { operatorAr } from './operator-ar.ts';
import { operatorEn, type OperatorCopy } from './operator-en.ts';

export type { OperatorCopy };

const languages: Readonly<Record<Locale, OperatorCopy>> = { ar: operatorAr, en: operatorEn };

/** The texts of the operators' pages in `locale`. */
export function operatorCopyIn(locale: Locale): OperatorCopy {
  return languages[locale];
}
