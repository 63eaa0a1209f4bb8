import type { PlantedBug } from '../support/planted-bug.ts';

const PHONE = 'service/test/e2e/phone.test.ts';

/** Bugs in pages. */
export const PAGE_BUGS: readonly PlantedBug[] = [
  {
    name: 'codes in Arabic sentences not isolated',
    edits: [
      {
        file: 'pages/src/direction.ts',
        from: "[h('code', { dir: 'ltr' }, part)]",
        to: "[h('code', null, part)]",
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
        file: 'service/src/request/answer/reply-error.ts',
        from: 'return isMistyped(code) && prefersPage(request);',
        to: 'return isMistyped(code) && prefersPage(request) && !request.is404;',
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
        file: 'service/src/origin/home.route.ts',
        from: '  if (!rules.hasTrial) return null;',
        to: "  if (rules.tokenMark === 'live') return null;",
      },
    ],
    test: {
      file: 'service/src/origin/home.route.test.ts',
      name: 'the home page > only explains where applications show a key',
    },
  },
  {
    name: 'the phone takes any number for the right one',
    edits: [
      {
        file: 'pages/browser/phone.js',
        from: "void decide(prompt, 'approve', number)",
        to: "void decide(prompt, 'approve')",
      },
    ],
    test: { file: PHONE, name: 'the phone > refuses by a wrong number' },
  },
  {
    name: 'the phone draws new wrong numbers each time',
    edits: [
      {
        file: 'pages/browser/phone-numbers.js',
        from: 'String(hashOf(`${id} ${turn}`) % most)',
        to: 'String(Math.floor(Math.random() * most))',
      },
    ],
    test: {
      file: PHONE,
      name: 'the phone > shows the same three numbers in the same order each time',
    },
  },
  {
    name: 'the phone shows names as markup',
    edits: [
      {
        file: 'pages/browser/phone.js',
        from: 'find(`[data-field=${field}]`, card).textContent = text;',
        to: 'find(`[data-field=${field}]`, card).innerHTML = text;',
      },
    ],
    test: {
      file: 'service/test/e2e/phone-elsewhere.test.ts',
      name: 'the phone of one scope > shows its prompts and no others, and names its people as they are',
    },
  },
  {
    name: 'the stream of prompts tells of every scope',
    edits: [
      {
        file: 'simulator/src/control/watching/scope-news.ts',
        from: 'waiting({ scope, requestId: null })',
        to: "waiting({ scope: 'default', requestId: null })",
      },
    ],
    test: {
      file: 'simulator/test/events.test.ts',
      name: 'GET /simulator/events > tells each scope of its own prompts',
    },
  },
  {
    name: 'any number of pages watches the simulator',
    edits: [
      {
        file: 'simulator/src/control/watching/events.ts',
        from: "if (!isOnce && news.isFullFor(address)) throw new ControlError('stream.limit_reached');",
        to: '',
      },
    ],
    test: {
      file: 'simulator/test/events.test.ts',
      name: 'GET /simulator/events > has twenty places for an address, and a place is free when its reader has left',
    },
  },
  {
    name: 'tabs share a stream whatever token they have',
    edits: [
      {
        file: 'pages/browser/event-stream.js',
        from: 'JSON.stringify([path, headers])',
        to: 'JSON.stringify([path])',
      },
    ],
    test: {
      file: 'service/test/e2e/many-tabs.test.ts',
      name: 'a tab > is told nothing by one that has typed the token',
    },
  },
  {
    name: 'a tab goes on with what came before an event that it can not read',
    edits: [
      {
        file: 'pages/browser/event-stream.js',
        from: '.catch(() => lost.abort())',
        to: '',
      },
    ],
    test: {
      file: 'service/test/e2e/many-tabs.test.ts',
      name: 'a tab > shows what comes after an event that it can’t read: the phone',
    },
  },
  {
    name: 'each page that comes back starts a loop of its own',
    edits: [
      {
        file: 'simulator/src/control/watching/scope-news.ts',
        from: 'if (!this.#isTelling) void this.#tellAll();',
        to: 'if (this.#readers.size === 1) void this.#tellAll();',
      },
    ],
    test: {
      file: 'simulator/src/control/watching/scope-news.test.ts',
      name: 'the news of a scope > are looked for once for all readers, however often a page comes back',
    },
  },
  {
    name: 'the phone names the people to everybody',
    edits: [
      {
        file: 'pages/browser/phone.js',
        from: 'fetch(path, { headers: headers() })',
        to: 'fetch(path)',
      },
    ],
    test: {
      file: 'service/test/e2e/phone-elsewhere.test.ts',
      name: 'the phone of a simulator that asks for its token > names nobody before it has the token',
    },
  },
];
