import type { Locale, Page } from '../../src/index.ts';
import {
  operatorAttemptPage,
  operatorAttemptsPage,
  operatorAuditPage,
  operatorClientsPage,
  operatorDoctorPage,
  operatorFaultPage,
  operatorLinkPage,
  operatorPersonPage,
  operatorSearchPage,
  type OperatorFrame,
  type ShownAttempt,
} from '../../src/operator/index.ts';

const at = '2026-01-31T09:00:00+00:00';
const requestId = '019a3b1e-7c40-7d2a-9f11-3c5b8e0a6d43';
const names = { arabicName: 'نورة بنت سالم المدينية', englishName: 'Noura Salem Al-Madiniyya' };

const attempt: ShownAttempt = {
  attemptId: '019a3b1e-7c40-7d2a-9f11-3c5b8e0a6d42',
  client: 'a-client-with-a-long-id.example',
  flow: 'oidc',
  state: 'authenticated',
  startedAt: at,
};

/** Every page for operators, as an administrator sees it. */
export function operatorPages(locale: Locale): Readonly<Record<string, Page>> {
  return { ...entryPages(locale), ...listPages(locale), ...detailPages(locale) };
}

function frameOf(locale: Locale, name: string): OperatorFrame {
  return { locale, languageLinks: linksOf(name), role: 'admin', formToken: 'token' };
}

const linksOf = (name: string) => ({ ar: `/${name}?locale=ar`, en: `/${name}?locale=en` });

function entryPages(locale: Locale): Readonly<Record<string, Page>> {
  const languageLinks = linksOf('operator-link');
  const fault = (kind: Parameters<typeof operatorFaultPage>[0]['fault']) => ({
    locale,
    languageLinks,
    fault: kind,
    requestId,
  });
  return {
    'operator-link': operatorLinkPage({ locale, languageLinks, action: '/operator/link/x' }),
    'operator-no-session': operatorFaultPage({ ...fault('no_session'), entry: 'link' }),
    'operator-no-role': operatorFaultPage({ ...fault('no_role'), entry: 'provider' }),
    'operator-wrong-host': operatorFaultPage({ ...fault('wrong_host'), entry: 'link' }),
  };
}

function listPages(locale: Locale): Readonly<Record<string, Page>> {
  const found = [
    { userId: 1, ...names },
    { userId: 2, ...names },
  ];
  const filters = {
    action: 'token.',
    client: '',
    user: '',
    attempt: '',
    actor: '',
    since: 'never',
    until: '',
  };
  const row = { sequence: 7, at, action: 'token.issued', attemptId: attempt.attemptId, userId: 1 };
  return {
    'operator-search': operatorSearchPage({ ...frameOf(locale, 'operator-search'), found }),
    'operator-attempts': operatorAttemptsPage({
      ...frameOf(locale, 'operator-attempts'),
      client: '',
      until: 'tomorrow',
      isTimeWrong: true,
      attempts: [attempt, { ...attempt, state: 'pending' }],
      searchedTo: at,
      before: attempt.attemptId,
    }),
    'operator-audit': operatorAuditPage({
      ...frameOf(locale, 'operator-audit'),
      filters,
      wrong: 'since',
      rows: [{ ...row, rest: ['client=bank', 'actor=operator:248289761001'] }],
      read: { first: 1, last: 7 },
      before: 1,
    }),
  };
}

function detailPages(locale: Locale): Readonly<Record<string, Page>> {
  const { attemptId } = attempt;
  const token = { tokenId: requestId, attemptId, client: 'bank', createdAt: at, expiresAt: at };
  const budget = { used: 3, quota: 120 };
  const name = { ar: 'بوابة المثال', en: 'Example Portal' };
  const client = { id: 'bank', name, type: 'confidential', keys: 2, unknownLeft: 20 };
  return {
    'operator-attempt': operatorAttemptPage({
      ...frameOf(locale, 'operator-attempt'),
      attempt: {
        ...attempt,
        expiresAt: at,
        authenticatedAt: at,
        redeemedAt: null,
        endedAt: null,
        reason: null,
        userId: 1,
      },
      calls: [{ line: `${at}  session  200  31 ms`, detail: '"status": 200' }],
    }),
    'operator-user': operatorPersonPage({
      ...frameOf(locale, 'operator-user'),
      userId: 1,
      identity: { ...names, lastDigits: '01' },
      createdAt: at,
      updatedAt: at,
      disabledAt: at,
      tokens: { items: [{ ...token, deviceName: 'جوال نورة', state: 'active' }], all: 70 },
      attempts: { items: [attempt], all: 1 },
      acts: ['disable', 'enable', 'revoke', 'export'],
      said: 'wrongReason',
    }),
    'operator-clients': operatorClientsPage({
      ...frameOf(locale, 'operator-clients'),
      clients: [{ ...client, pushes: budget }],
      pushes: budget,
    }),
    'operator-doctor': operatorDoctorPage({
      ...frameOf(locale, 'operator-doctor'),
      findings: [
        { check: 'settings', severity: 'ok', what: 'The settings can be used.', remedy: null },
        { check: 'audit.head', severity: 'warning', what: 'None is set.', remedy: 'Set it.' },
      ],
    }),
  };
}
