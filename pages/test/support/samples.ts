import {
  applicationPage,
  dashboardPage,
  designPage,
  endedPage,
  errorIndexPage,
  errorPage,
  handOverPage,
  homePage,
  launchPage,
  numberPage,
  logoutPage,
  strictHomePage,
  signInPage,
  type DashboardPage,
  type EndedKind,
  type ErrorIndexPage,
  type ErrorPage,
  type HomePage,
  type Locale,
  phonePage,
  redirectPage,
  type Page,
  type PhonePage,
  type Person,
  type SignInPage,
} from '../../src/index.ts';
import { operatorPages } from './operator-samples.ts';

/**
 * Invented people with names that are difficult for layouts: long, a single word, with an
 * apostrophe. The check digits of the numbers are wrong, so no real document has one of them.
 */
export const people: readonly Person[] = [
  person('noura', 'نورة بنت سالم المدينية', 'Noura Salem Al-Madiniyya', 'citizen', '1000000001'),
  person('tayyib', 'الطيّب', 'Tayyib', 'citizen', '1000000002'),
  person('sean', 'شون أوكونِل', "Sean O'Connell", 'resident', '2000000001'),
  person(
    'abdulrahman',
    'عبد الرحمن بن عبد العزيز بن عبد اللطيف الشمالي الساحلي',
    'Abdulrahman bin Abdulaziz bin Abdullatif Al-Shamali Al-Saheli',
    'resident',
    '2000000002',
  ),
  person('mei', 'مي لين', 'Mei Lin', 'visitor', '3000000001'),
  person('lin', 'لين هاي', 'Lin Hai', 'border', '4000000001'),
];

function person(
  id: string,
  arabicName: string,
  englishName: string,
  kind: Person['kind'],
  nationalId: string,
): Person {
  return { id, arabicName, englishName, kind, nationalId, default: id === 'noura' };
}

const attemptId = '019a3b1e-7c40-7d2a-9f11-3c5b8e0a6d42';
const baseUrl = 'http://127.0.0.1:3000/api/v1';
const completionCode = 'Zk3vT0mYx-5s_9QdL2cHbN7wRfUe8aJpGoViKxEtMlA';

/** A complete input of the sign-in page. */
export function signInSample(locale: Locale): SignInPage {
  return {
    locale,
    attemptId,
    action: '/callback',
    languageLinks: languageLinks('sign-in'),
    service: { ar: 'بوابة الخدمات التجريبية', en: 'The Example Services Portal' },
    people,
    expiresAt: '2026-01-31T10:05:00+00:00',
  };
}

const reserved = [
  { nationalId: '1900000001', title: { ar: 'يوافق فورًا', en: 'Approves at once' } },
  {
    nationalId: '1900000034',
    title: { ar: 'الردّ ليس JSON سليمًا', en: 'The answer is broken JSON' },
  },
];

/** A complete input of the home page. */
export function homeSample(locale: Locale): HomePage {
  return {
    locale,
    baseUrl,
    mode: 'simulator',
    people,
    links: {
      phone: '/phone',
      console: '/console',
      docs: '/docs',
      openapi: '/openapi.json',
      errors: '/errors',
    },
    trial: {
      basePath: '/api/v1',
      nationalId: '1000000001',
      reserved,
      phone: '/phone',
      console: '/console',
    },
    curl: [
      { step: 'start', lines: [`curl ${baseUrl}/start -H "$J" -d '{"locale":"ar"}'`] },
      {
        step: 'approve',
        lines: [
          `curl ${baseUrl}/callback -H 'Content-Type: application/json' \\`,
          `  -d '{"state":"ATTEMPT_ID","auto_complete":true}'`,
        ],
      },
    ],
    languageLinks: languageLinks('home'),
  };
}

/** A complete input of the dashboard stand-in. */
export function dashboardSample(locale: Locale): DashboardPage {
  const links = languageLinks('dashboard');
  const trialBasePath = '/api/v1';
  return { locale, baseUrl, attemptId, completionCode, trialBasePath, languageLinks: links };
}

/** A complete input of the phone; `phone` shows it with what its script would add. */
function phoneSample(locale: Locale): PhonePage {
  return {
    locale,
    scope: 'a-scope-of-some-test',
    isUsualScope: false,
    services: { Login: { ar: 'تسجيل الدخول', en: 'Sign-in' } },
    places: ['home', 'console'],
    languageLinks: languageLinks('phone'),
  };
}

/** A complete input of the page of one error. */
export function errorSample(locale: Locale): ErrorPage {
  const { title, whatHappened, whatToDo } = errorTexts[locale];
  const languages = { locale, languageLinks: languageLinks('error') };
  const said = { code: 'attempt.pending', status: 409, title, whatHappened, whatToDo };
  return { ...said, ...languages, requestId: attemptId, places: ['home', 'console'] };
}

/** A complete input of the catalogue. */
export function errorIndexSample(locale: Locale): ErrorIndexPage {
  const { title } = errorTexts[locale];
  const errors = [
    { code: 'attempt.pending', status: 409, title },
    { code: 'attempt.expired', status: 410, title },
    { code: 'storage.outcome_unknown', status: 503, title },
  ];
  const groups = [{ name: 'attempt', title, errors }];
  return { locale, groups, languageLinks: languageLinks('errors') };
}

const errorTexts = {
  ar: {
    title: 'لم تكتمل المحاولة بعد',
    whatHappened: 'طلب التطبيق رمز الوصول قبل أن يوافق المستخدم.',
    whatToDo: 'انتظر ثانيتين، ثم أعد الطلب.',
  },
  en: {
    title: 'The attempt is not authenticated yet',
    whatHappened: 'The application asked for the token before the person approved.',
    whatToDo: 'Wait two seconds, then ask again.',
  },
};

/** Every page in one language, each with its most demanding input, by the name of its address. */
export function everyPage(locale: Locale): Readonly<Record<string, Page>> {
  const notice = locale === 'ar' ? 'اختر شخصية قبل الموافقة.' : 'Choose a person before approving.';
  return {
    ...operatorPages(locale),
    'sign-in': signInPage({ ...signInSample(locale), notice }),
    launch: launchPage({
      locale,
      languageLinks: languageLinks('launch'),
      attemptId,
      secret: 'the-secret-of-the-browser',
      action: '/callback/launch',
      service: { ar: 'تطبيق تجريبي', en: 'Demo application' },
      rehearsal: true,
    }),
    'launch-phone': launchPage({
      locale,
      languageLinks: languageLinks('launch-phone'),
      attemptId,
      secret: 'the-secret-of-the-browser',
      action: '/callback/launch',
      service: { ar: 'تطبيق تجريبي', en: 'Demo application' },
      rehearsal: false,
      phoneOf: '01',
    }),
    push: withoutScript(
      numberPage({
        locale,
        languageLinks: languageLinks('push'),
        service: { ar: 'تطبيق تجريبي', en: 'Demo application' },
        rehearsal: true,
        number: '42',
        events: '/push',
      }),
    ),
    logout: logoutPage({
      locale,
      languageLinks: languageLinks('logout'),
      action: '/openid/logout/confirm',
      secret: 'the-secret-of-the-browser',
      service: { ar: 'تطبيق تجريبي', en: 'Demo application' },
    }),
    'hand-over': withoutScript(handOverSample(locale)),
    redirect: redirectPage({ locale, address: 'https://app.example.test/?a=1&b=2' }),
    application: applicationPage({
      locale,
      address: 'com.example.app:/signed-in?a=1&b=2',
      application: { ar: 'بوابة الخدمات التجريبية', en: 'The Example Services Portal' },
    }),
    ended: endedPage({
      locale,
      kind: 'browser_mismatch',
      languageLinks: languageLinks('ended'),
      requestId: attemptId,
    }),
    unavailable: endedPage({
      locale,
      kind: 'unavailable',
      again: '/callback?state=x',
      languageLinks: languageLinks('unavailable'),
      requestId: attemptId,
    }),
    busy: endedPage({
      locale,
      kind: 'busy',
      again: '/callback?state=x',
      languageLinks: languageLinks('busy'),
      requestId: attemptId,
    }),
    'too-many': endedPage({
      locale,
      kind: 'too_many',
      again: '/callback?state=x',
      languageLinks: languageLinks('too-many'),
      requestId: attemptId,
    }),
    dashboard: dashboardPage(dashboardSample(locale)),
    'empty-dashboard': dashboardPage({ locale, baseUrl }),
    'pending-dashboard': dashboardPage({ locale, baseUrl, attemptId, isPending: true }),
    'unknown-attempt': dashboardPage({ locale, baseUrl, fault: 'unknown_attempt' }),
    error: errorPage(errorSample(locale)),
    errors: errorIndexPage(errorIndexSample(locale)),
    'unknown-error': errorIndexPage({
      ...errorIndexSample(locale),
      isUnknown: true,
      near: 'attempt.not_found',
      requestId: attemptId,
    }),
    phone: withoutScript(phonePage(phoneSample(locale))),
    design: designPage({ locale, languageLinks: languageLinks('design') }),
    home: homePage(homeSample(locale)),
    'strict-home': strictHomePage({
      ...homeSample(locale),
      key: 'mfk_test_simulator',
      lines: homeSample(locale).curl.flatMap(({ lines }) => lines),
    }),
    'live-home': homePage({
      ...homeSample(locale),
      mode: 'live',
      people: [],
      curl: [],
      trial: null,
    }),
  };
}

/** The hand-over page; with its script it would be gone before it can be checked. */
export function handOverSample(locale: Locale): Page {
  return handOverPage({ locale, action: '/callback', fields: { state: attemptId } });
}

/** The page as in a browser that runs no scripts. */
function withoutScript({ html, script }: Page): Page {
  return { html: html.replace(`<script>${script?.source ?? ''}</script>`, '') };
}

/** Every way in which an attempt can have ended. */
export const endedKinds: readonly EndedKind[] = [
  'unknown',
  'expired',
  'authenticated',
  'rejected',
  'cancelled',
  'failed',
  'browser_mismatch',
  'spoiled',
  'rate_limited',
  'application',
  'signed_out',
  'not_signed_out',
  'unavailable',
];

function languageLinks(name: string): Record<Locale, string> {
  return { ar: `/${name}?locale=ar`, en: `/${name}?locale=en` };
}
