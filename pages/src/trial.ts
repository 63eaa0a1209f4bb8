import { h, type JSX } from 'preact';
import { safeAddress } from './address.ts';
import { copyIn, type Copy } from './copy/index.ts';
import { isolated } from './direction.ts';
import { localized, type Locale, type Localized } from './locale.ts';
import { facts } from './parts.ts';
import { testIds } from './test-ids.ts';

/** A reserved number, and the outcome of a sign-in with it. */
export type ReservedNumber = { readonly nationalId: string; readonly title: Localized };

/** The data of the sign-in on the home page. */
export type Trial = {
  /** The path of the API on the page's own origin. */
  readonly basePath: string;
  /** The number that the phone sign-in uses if no other is typed. */
  readonly nationalId: string;
  readonly reserved: readonly ReservedNumber[];
  /** The addresses of the simulated phone and of the simulator's console. */
  readonly phone: string;
  readonly console: string;
};

/** The API's path, and the values that the browser brought back from the sign-in page. */
export type TrialReturn = {
  readonly basePath: string;
  readonly attemptId: string;
  readonly completionCode?: string | undefined;
};

/**
 * "Sign in now": by browser, by phone or with a reserved number, with its progress up to the token.
 */
export function trialPanel({ basePath, ...trial }: Trial, locale: Locale): JSX.Element {
  const copy = copyIn(locale);
  return h(
    'section',
    {
      class: 'panel trial',
      'aria-labelledby': 'trial',
      'data-trial': true,
      'data-base': basePath,
      'data-language': locale,
    },
    h('h2', { id: 'trial' }, copy.trial.title),
    h('p', null, copy.trial.text),
    h('noscript', null, h('p', { class: 'hint' }, copy.trial.noScript)),
    controls(trial, copy.trial, locale),
    progress(copy.trial),
    number(copy.trial),
    decisions(copy),
    places(copy, trial),
    result(copy),
  );
}

/**
 * On the page after the sign-in: the token, if this tab started the attempt. Otherwise it is
 * hidden.
 */
export function trialReturnPanel(back: TrialReturn, locale: Locale): JSX.Element {
  const copy = copyIn(locale);
  const attributes = {
    class: 'panel trial',
    'aria-labelledby': 'trial',
    'data-trial': true,
    'data-base': back.basePath,
    'data-language': locale,
    'data-attempt': back.attemptId,
    ...(back.completionCode ? { 'data-code': back.completionCode } : {}),
    hidden: true,
  };
  return h(
    'section',
    attributes,
    h('h2', { id: 'trial' }, copy.trial.returned),
    progress(copy.trial),
    h('div', { 'data-decisions': true, hidden: true }),
    result(copy),
  );
}

function controls(
  { nationalId, reserved }: Omit<Trial, 'basePath'>,
  copy: Copy['trial'],
  locale: Locale,
): JSX.Element {
  return h(
    'div',
    { class: 'trial-controls', 'data-controls': true, hidden: true },
    h(
      'button',
      {
        class: 'primary',
        type: 'button',
        'data-browser': true,
        'data-testid': testIds.trialBrowser,
      },
      copy.byBrowser,
    ),
    h(
      'form',
      null,
      h('label', { for: 'trial-number' }, copy.nationalId),
      h('input', {
        id: 'trial-number',
        name: 'national_id',
        value: nationalId,
        dir: 'ltr',
        inputmode: 'numeric',
        autocomplete: 'off',
        required: true,
      }),
      h(
        'button',
        { class: 'secondary', type: 'submit', 'data-testid': testIds.trialPhone },
        copy.byPhone,
      ),
    ),
    reservedNumbers(reserved, copy, locale),
  );
}

function reservedNumbers(
  reserved: readonly ReservedNumber[],
  copy: Copy['trial'],
  locale: Locale,
): JSX.Element {
  return h(
    'details',
    { 'data-reserved': true },
    h('summary', null, copy.reserved),
    h(
      'ul',
      null,
      reserved.map(({ nationalId, title }) =>
        h(
          'li',
          null,
          h(
            'button',
            {
              class: 'secondary',
              type: 'button',
              value: nationalId,
              'data-testid': testIds.reserved(nationalId),
            },
            h('bdi', { class: 'number', dir: 'ltr' }, nationalId),
            h('span', null, isolated(localized(title, locale), locale)),
          ),
        ),
      ),
    ),
  );
}

/** One sentence per stage. The script shows the current one, and screen readers read it aloud. */
function progress(copy: Copy['trial']): JSX.Element {
  return h(
    'div',
    { class: 'trial-progress', role: 'status', 'data-testid': testIds.trialProgress },
    Object.entries(copy.stages).map(([stage, text]) =>
      h('p', { 'data-when': stage, hidden: true }, text),
    ),
    h(
      'div',
      { id: 'trial-fault', class: 'notice', 'data-when': 'fault', hidden: true },
      h('p', null, copy.fault, ' ', h('bdi', { 'data-fault': true })),
      h('p', { 'data-unregistered': true, hidden: true }, copy.unregistered),
      h('p', { 'data-remedy': true, hidden: true }),
      h('p', null, faultFacts()),
    ),
  );
}

/** After how many seconds to repeat it, and the page of the error. */
function faultFacts(): JSX.Element[] {
  const code = { dir: 'ltr', hidden: true };
  return [
    h('code', { ...code, 'data-wait': true }),
    h('a', { ...code, 'data-catalogue': true, 'data-testid': testIds.trialError }),
  ];
}

function number(copy: Copy['trial']): JSX.Element {
  return h(
    'p',
    { class: 'trial-number', tabindex: -1, 'data-number': true, hidden: true },
    h('span', null, copy.number),
    h('bdi', {
      class: 'number',
      dir: 'ltr',
      'data-matching': true,
      'data-testid': testIds.trialNumber,
    }),
  );
}

function decisions(copy: Copy): JSX.Element {
  return h(
    'div',
    {
      class: 'trial-decisions',
      role: 'group',
      'aria-label': copy.trial.decide,
      'data-decisions': true,
      hidden: true,
    },
    answerButton('approve', copy.signIn.approve, testIds.approve),
    answerButton('refuse', copy.signIn.refuse, testIds.refuse),
    answerButton('not_me', copy.signIn.notMe, testIds.notMe),
    answerButton('wrong_number', copy.trial.wrongNumber, testIds.wrongNumber),
  );
}

/** Where the push is seen, while it waits and after its end. */
function places(copy: Copy, at: Pick<Trial, 'phone' | 'console'>): JSX.Element {
  return h(
    'p',
    { 'data-places': true, hidden: true },
    placeLink(at.phone, copy.home.phone.title, testIds.phone),
    placeLink(at.console, copy.home.console.title, testIds.console),
  );
}

function placeLink(address: string, text: string, testId: string): JSX.Element {
  return h('a', { class: 'trial-place', href: safeAddress(address), 'data-testid': testId }, text);
}

function result({ trial, home }: Copy): JSX.Element {
  return h(
    'div',
    { 'data-result': true, hidden: true },
    facts([
      [
        trial.token,
        h('code', { dir: 'ltr', 'data-token': true, 'data-testid': testIds.trialToken }),
      ],
      [home.name, h('bdi', { 'data-name': true, 'data-testid': testIds.trialName })],
      [home.nationalId, h('span', { class: 'number', dir: 'ltr', 'data-identity': true })],
      [trial.method, methods(trial)],
    ]),
    h('p', { class: 'hint' }, trial.tokenHint),
  );
}

/** The script shows the one that it was. */
function methods({ methods: all }: Copy['trial']): JSX.Element[] {
  return Object.entries(all).map(([method, text]) =>
    h('span', { 'data-method': method, hidden: true }, text),
  );
}

function answerButton(decision: string, text: string, testId: string): JSX.Element {
  return h(
    'button',
    {
      class: decision === 'approve' ? 'primary' : 'secondary',
      type: 'button',
      value: decision,
      'data-testid': testId,
    },
    text,
  );
}
