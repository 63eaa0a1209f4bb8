import type { PlantedBug } from '../support/planted-bug.ts';

const FOLDER = 'client/src/element';
const ELEMENT = 'client/src/element/miftah-wait.ts';
const CLOCK_TEST = 'service/test/element/clock.test.ts';
const CONNECTION_TEST = 'service/test/element/connection.test.ts';
const PROPERTIES_TEST = 'service/test/element/properties.test.ts';

/** Bugs in the waiting element. */
export const ELEMENT_BUGS: readonly PlantedBug[] = [
  {
    name: 'the form of a language that systems write with an underscore is English',
    edits: [
      {
        file: 'client/src/element/words.ts',
        from: String.raw`/^ar(_|\b)/i`,
        to: String.raw`/^ar\b/i`,
      },
    ],
    test: { file: 'client/src/element/words.test.ts', name: 'the language of ar_SA is ar' },
  },
  {
    name: 'a countdown by the clock of the device',
    edits: [
      {
        file: `${FOLDER}/server-clock.ts`,
        from: 'if (Math.abs(told - this.now()) > TOLERANCE_MS)',
        to: 'if (told < 0)',
      },
    ],
    test: {
      file: CLOCK_TEST,
      name: 'C-20 the time that is left > is right on a device whose clock is wrong by 3600000 ms',
    },
  },
  {
    name: 'a countdown that stops while the device sleeps',
    edits: [
      {
        file: `${FOLDER}/server-clock.ts`,
        from: 'this.#aheadOfMonotonic += jump;',
        to: 'void jump;',
      },
    ],
    test: {
      file: CLOCK_TEST,
      name: 'C-20 the time that is left > goes on while the device sleeps, also without a connection after it',
    },
  },
  {
    name: 'an expiry before the server has said its time',
    edits: [
      {
        file: ELEMENT,
        from: 'if (this.#isTold && leftMs !== null',
        to: 'if (leftMs !== null',
      },
    ],
    test: {
      file: CLOCK_TEST,
      name: 'C-20 the time that is left > is not believed before the server has said its time',
    },
  },
  {
    name: 'a stream that outlives its element',
    edits: [
      {
        file: ELEMENT,
        from: `  disconnectedCallback(): void {
    this.#sign.abort();
    this.#connection.abort();`,
        to: `  disconnectedCallback(): void {
    this.#sign.abort();`,
      },
    ],
    test: {
      file: CONNECTION_TEST,
      name: 'C-21 the stream is closed > when the element is removed: the service has nobody who waits',
    },
  },
  {
    name: 'an end told again when the element is moved',
    edits: [
      {
        file: ELEMENT,
        from: 'if (this.#isNew) this.#begin();',
        to: 'if (this.isConnected) this.#begin();',
      },
    ],
    test: {
      file: CONNECTION_TEST,
      name: 'an element that is moved in its page tells its end once',
    },
  },
  {
    name: 'a stream that outlives its end',
    edits: [
      {
        file: ELEMENT,
        from: `    this.#hasEnded = true;
    this.#sign.abort();
    this.#connection.abort();`,
        to: '    this.#hasEnded = true;',
      },
      {
        file: `${FOLDER}/follow-page.ts`,
        from: `    leave();
  }
}`,
        to: '  }\n}',
      },
    ],
    test: {
      file: CONNECTION_TEST,
      name: 'C-21 the stream is closed > at an end, also when the back end leaves it open',
    },
  },
  {
    name: 'a status that is not known taken for a sign-in',
    edits: [
      {
        file: `${FOLDER}/follow-page.ts`,
        from: "    : 'failed';",
        to: "    : 'authenticated';",
      },
    ],
    test: {
      file: CONNECTION_TEST,
      name: 'a back end that can not tell > by a status that is not known has not signed anybody in',
    },
  },
  {
    name: 'a session without an attempt asked for ever',
    edits: [
      {
        file: `${FOLDER}/follow-page.ts`,
        from: 'return isRefused || status === 204;',
        to: 'return isRefused;',
      },
    ],
    test: {
      file: CONNECTION_TEST,
      name: 'a back end that can not tell > by 204 ends the wait as failed',
    },
  },
  {
    name: 'a wait that is given up in silence',
    edits: [
      {
        file: `${FOLDER}/follow-page.ts`,
        from: "  page.ended({ status: 'failed', message: null, code: 'client.network' });\n",
        to: '',
      },
    ],
    test: {
      file: CONNECTION_TEST,
      name: 'what can not be followed ends with an error > with a server that is gone',
    },
  },
  {
    name: 'what iOS 16.0 has not called without asking',
    edits: [
      {
        file: `${FOLDER}/miftah-wait.ts`,
        from: 'older.attachInternals?.()',
        to: 'element.attachInternals()',
      },
    ],
    test: {
      file: 'service/test/e2e/oldest-browsers.test.ts',
      name: 'in an oldest browser, in simulator mode > a person signs in by phone, on the page of the phone',
    },
  },
  {
    name: 'a redirect of the events followed',
    edits: [
      {
        file: `${FOLDER}/follow-page.ts`,
        from: "      redirect: 'manual',\n",
        to: '',
      },
    ],
    test: {
      file: CONNECTION_TEST,
      name: 'C-21 a stream that is lost > shows that it is offline after a redirect, with the number, and goes on',
    },
  },
  {
    name: 'a button that takes the focus away with it',
    edits: [
      {
        file: `${FOLDER}/view.ts`,
        from: 'if (isLeft) this.#live.focus();',
        to: 'void isLeft;',
      },
    ],
    test: {
      file: CONNECTION_TEST,
      name: 'C-21 a stream that is lost > has a button after ten seconds, which the keyboard reaches and leaves',
    },
  },
  {
    name: 'a number without its zeros',
    edits: [
      {
        file: `${FOLDER}/view.ts`,
        from: "write(this.#digits, hasNumber ? random : '');",
        to: "write(this.#digits, hasNumber ? String(Number(random)) : '');",
      },
    ],
    test: {
      file: PROPERTIES_TEST,
      name: 'the properties > C-19 keep the zeros of the number, and refuse a number',
    },
  },
  {
    name: 'texts of the network as markup',
    edits: [
      {
        file: `${FOLDER}/view.ts`,
        from: 'if (element.textContent !== text) element.textContent = text;',
        to: 'if (element.textContent !== text) element.innerHTML = text;',
      },
      {
        file: 'service/test/support/element/page-server.ts',
        from: '\n  "require-trusted-types-for \'script\'",\n  "trusted-types \'none\'",',
        to: '',
      },
    ],
    test: {
      file: PROPERTIES_TEST,
      name: 'C-22 what comes from outside > never becomes markup: the number, a status, a message, a code',
    },
  },
  {
    name: 'the countdown read aloud each second',
    edits: [
      {
        file: `${FOLDER}/view.ts`,
        from: 'this.#panel.append(this.#live, this.#countdown,',
        to: 'this.#live.append(this.#countdown);\n    this.#panel.append(this.#live,',
      },
    ],
    test: {
      file: 'service/test/element/accessibility.test.ts',
      name: 'C-23 who hears the page > is told the number digit by digit and each change, and not the time',
    },
  },
];
