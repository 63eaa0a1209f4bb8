import type { Locale } from '../locale.ts';
import { ar } from './ar.ts';
import { en } from './en.ts';

type Words<Shape> = {
  readonly [Key in keyof Shape]: Shape[Key] extends string ? string : Words<Shape[Key]>;
};

/** The words of the pages. Arabic sets the shape; every other language must have the same keys. */
export type Copy = Words<typeof ar>;

const languages: Readonly<Record<Locale, Copy>> = { ar, en };

/** The words of the pages in `locale`. */
export function copyIn(locale: Locale): Copy {
  return languages[locale];
}
