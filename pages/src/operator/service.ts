import { h } from 'preact';
import { operatorCopyIn } from '../copy/operator.ts';
import type { Page } from '../document.ts';
import { personNames } from '../people.ts';
import { fill, ltrCode } from '../parts.ts';
import { form, grid, operatorPage, submit, type OperatorFrame } from './frame.ts';
import { OPERATOR_PLACES } from './places.ts';

type Budget = { readonly used: number; readonly quota: number };

export type ShownClient = {
  readonly id: string;
  readonly name: { readonly ar: string; readonly en: string };
  readonly type: string;
  readonly keys: number;
  readonly pushes: Budget;
  readonly unknownLeft: number;
};

export type OperatorClientsPage = OperatorFrame & {
  readonly clients: readonly ShownClient[];
  /** Of all clients together. */
  readonly pushes: Budget;
};

export function operatorClientsPage(page: OperatorClientsPage): Page {
  const { locale, clients, pushes } = page;
  const copy = operatorCopyIn(locale);
  const words = copy.clients;
  const budget = ({ used, quota }: Budget) => fill(words.of, { used, quota });
  const heads = [words.id, words.name, words.type, words.keys, words.pushes, words.unknown];
  const rows = clients.map((client) => [
    ltrCode(client.id),
    personNames({ arabicName: client.name.ar, englishName: client.name.en }, locale),
    ltrCode(client.type),
    client.keys,
    budget(client.pushes),
    client.unknownLeft,
  ]);
  return operatorPage(
    page,
    { title: words.title, place: 'clients' },
    h('p', { class: 'lead' }, words.text),
    grid(copy, words.title, heads, rows),
    h('p', null, words.all, ': ', budget(pushes)),
  );
}

export type ShownFinding = {
  readonly check: string;
  readonly severity: 'ok' | 'warning' | 'fault';
  readonly what: string;
  readonly remedy: string | null;
};

export type OperatorDoctorPage = OperatorFrame & {
  /** Null before it was asked for; `away` where this process can't start the doctor. */
  readonly findings: readonly ShownFinding[] | 'away' | null;
};

export function operatorDoctorPage(page: OperatorDoctorPage): Page {
  const { locale, findings } = page;
  const { doctor } = operatorCopyIn(locale);
  return operatorPage(
    page,
    { title: doctor.title, place: 'doctor' },
    h('p', { class: 'lead' }, doctor.text),
    findings === 'away'
      ? h('p', null, fill(doctor.away, { command: ltrCode('miftah doctor') }))
      : form(page, OPERATOR_PLACES.doctor, submit(doctor.button)),
    Array.isArray(findings) ? findingGrid(findings, page) : null,
  );
}

function findingGrid(findings: readonly ShownFinding[], { locale }: OperatorDoctorPage) {
  const copy = operatorCopyIn(locale);
  const { doctor } = copy;
  const count = (wanted: ShownFinding['severity']) =>
    findings.filter(({ severity }) => severity === wanted).length;
  const rows = findings.map(({ severity, check, what, remedy }) => [
    doctor.severities[severity],
    ltrCode(check),
    h(
      'div',
      { class: 'finding', lang: 'en', dir: 'ltr' },
      h('p', null, what),
      remedy === null ? null : h('p', { class: 'hint' }, remedy),
    ),
  ]);
  return [
    h('p', null, fill(doctor.faults, { faults: count('fault'), warnings: count('warning') })),
    grid(copy, doctor.title, [doctor.severity, doctor.check, doctor.what], rows),
  ];
}
