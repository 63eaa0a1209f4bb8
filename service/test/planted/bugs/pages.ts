import type { PlantedBug } from '../support/planted-bug.ts';

/** Bugs in pages. */
export const PAGE_BUGS: readonly PlantedBug[] = [
  {
    name: 'codes in Arabic sentences not isolated',
    edits: [
      {
        file: 'pages/src/direction.ts',
        from: `  return pieces(text, locale).map(({ piece, isLatin }) =>
    isLatin ? h('bdi', { dir: 'ltr' }, piece) : piece,
  );`,
        to: "  return pieces(text, locale).map(({ piece }) => h('span', null, piece));",
      },
    ],
    test: {
      file: 'service/test/e2e/direction.test.ts',
      name: 'the Arabic page of each error > shows codes, addresses and header lines in order',
    },
  },
  {
    name: 'pages that do not say their language',
    edits: [
      {
        file: 'pages/src/document.ts',
        from: '    { lang: frame.locale, dir: direction(frame.locale) },',
        to: '    { dir: direction(frame.locale) },',
      },
    ],
    test: {
      file: 'pages/test/accessibility.test.ts',
      name: 'in en > sign-in is accessible and fits, light and dark',
    },
  },
  {
    name: 'an address that is not there, as JSON to everybody',
    edits: [
      {
        file: 'service/src/http/reply-error.ts',
        from: 'return mistyped && prefersPage(request);',
        to: 'return mistyped && prefersPage(request) && !request.is404;',
      },
    ],
    test: {
      file: 'service/test/api/routes.test.ts',
      name: 'a mistyped address in a browser > is a page with the code: GET /nothing',
    },
  },
  {
    name: 'the home page signs in where applications show a key',
    edits: [
      {
        file: 'service/src/http/routes/origin/home.ts',
        from: '  if (!rules.hasTrial) return null;',
        to: "  if (rules.tokenMark === 'live') return null;",
      },
    ],
    test: {
      file: 'service/src/http/routes/origin/home.test.ts',
      name: 'the home page > only explains where applications show a key',
    },
  },
];
