/** The pictures of the documentation: each page in both languages, each theme and two sizes. */

export const LOCALES = ['ar', 'en'] as const;
export const SCHEMES = ['light', 'dark'] as const;

/** A window of a computer, and of a phone, which has more dots. */
export const SIZES = {
  desktop: { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1 },
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 1.25 },
} as const;

export type Locale = (typeof LOCALES)[number];
export type Scheme = (typeof SCHEMES)[number];
export type Size = keyof typeof SIZES;

export interface Look {
  readonly locale: Locale;
  readonly scheme: Scheme;
  readonly size: Size;
}

/** What is shown, by its name in the files. */
export const SHOWN = [
  'home',
  'sign-in',
  'launch',
  'dashboard',
  'ended',
  'errors',
  'error',
  'phone',
  'waiting',
  'console',
  'console-attempt',
  'console-people',
  'console-outcomes',
  'console-clock',
  'console-faults',
  'console-phone',
  'console-reset',
  'console-reference',
  'design',
] as const;
export type Shown = (typeof SHOWN)[number];

export const LOOKS: readonly Look[] = LOCALES.flatMap((locale) =>
  SCHEMES.flatMap((scheme) =>
    (['desktop', 'phone'] as const).map((size) => ({ locale, scheme, size })),
  ),
);

/** The height of a picture of a long page, on a computer. */
export const HEIGHTS: Readonly<Partial<Record<Shown, number>>> = { 'console-attempt': 1500 };

/** In docs/images. */
export function fileOf(shown: Shown, { locale, scheme, size }: Look): string {
  return `${shown}-${locale}-${scheme}-${size}.webp`;
}
