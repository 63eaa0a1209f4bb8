import { h, type ComponentChild } from 'preact';
import { operatorCopyIn } from '../copy/operator.ts';
import type { Page } from '../document.ts';
import { fill, ltrCode } from '../parts.ts';
import { attemptLink, nextLink, personLink } from './attempts.ts';
import { field, grid, inLocale, notice, operatorPage, submit } from './frame.ts';
import type { OperatorFrame } from './frame.ts';
import { OPERATOR_PLACES } from './places.ts';

/** The filters, as they were typed. */
export const AUDIT_FILTERS = [
  'action',
  'client',
  'user',
  'attempt',
  'actor',
  'since',
  'until',
] as const;
export type AuditFilterName = (typeof AUDIT_FILTERS)[number];

export type ShownAuditRow = {
  readonly sequence: number;
  readonly at: string;
  readonly action: string;
  readonly attemptId: string | null;
  readonly userId: number | null;
  /** What else the row has, each as `name=value`. */
  readonly rest: readonly string[];
};

export type OperatorAuditPage = OperatorFrame & {
  readonly filters: Readonly<Record<AuditFilterName, string>>;
  readonly wrong: AuditFilterName | null;
  readonly rows: readonly ShownAuditRow[];
  /** The rows that were looked at; null where there are none. */
  readonly read: { readonly first: number; readonly last: number } | null;
  /** The next page ends before this row; null where nothing is left. */
  readonly before: number | null;
};

export function operatorAuditPage(page: OperatorAuditPage): Page {
  const { locale, filters, wrong, read, before } = page;
  const copy = operatorCopyIn(locale);
  const words = copy.audit;
  const names = { command: ltrCode('miftah audit'), verify: ltrCode('--verify') };
  const more = { ...filters, before: String(before ?? '') };
  return operatorPage(
    page,
    { title: words.title, place: 'audit' },
    h('p', { class: 'lead' }, fill(words.text, names)),
    wrong === null ? null : notice(fill(words.wrong, { field: labelOf(wrong, page) })),
    filterForm(page),
    auditGrid(page),
    read === null ? null : h('p', { class: 'hint' }, fill(words.searched, read)),
    before === null ? null : nextLink(inLocale(OPERATOR_PLACES.audit, locale, more), copy.next),
  );
}

function labelOf(name: AuditFilterName, { locale }: OperatorAuditPage): string {
  const { audit, attempts, find } = operatorCopyIn(locale);
  const labels = {
    action: audit.action,
    client: attempts.client,
    user: find.user,
    attempt: find.attempt,
    actor: audit.actor,
    since: audit.since,
    until: audit.until,
  };
  return labels[name];
}

function filterForm(page: OperatorAuditPage) {
  const { locale, filters } = page;
  const copy = operatorCopyIn(locale);
  const hints: Partial<Record<AuditFilterName, ComponentChild>> = {
    action: fill(copy.audit.actionHint, { one: ltrCode('token.issued'), all: ltrCode('token.') }),
    since: ltrCode('12h'),
    until: ltrCode('2026-01-31T09:00:00Z'),
  };
  return h(
    'form',
    { class: 'filters', method: 'get', action: OPERATOR_PLACES.audit },
    h('input', { type: 'hidden', name: 'locale', value: locale }),
    AUDIT_FILTERS.map((name) =>
      field(labelOf(name, page), { name, maxlength: 200, value: filters[name] }, hints[name]),
    ),
    submit(copy.show),
  );
}

function auditGrid({ locale, rows }: OperatorAuditPage) {
  const copy = operatorCopyIn(locale);
  const { audit: words, attempts, person } = copy;
  const heads = [words.row, words.time, words.action, attempts.attempt, person.title, words.about];
  const cells = rows.map(({ sequence, at, action, attemptId, userId, rest }) => [
    sequence,
    ltrCode(at),
    ltrCode(action),
    attemptId === null ? '—' : attemptLink(attemptId, locale),
    userId === null ? '—' : personLink(userId, locale),
    rest.length === 0 ? '—' : rest.map((one) => h('div', null, ltrCode(one))),
  ]);
  return grid(copy, words.title, heads, cells);
}
