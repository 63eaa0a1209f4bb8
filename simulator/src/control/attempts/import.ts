/** The file of an attempt, as it is taken: nothing in it is believed. */
import {
  boolean,
  integer,
  list,
  nothing,
  object,
  oneOf,
  optional,
  record,
  string,
  union,
  type Static,
  openObject,
} from '@miftah/schema';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isCalendarDay } from '../../engine/people/calendar-day.ts';
import { COACH_RULES } from '../../coach/rules.ts';
import type { Finding } from '../../coach/rule.ts';
import { DECISIONS } from '../../engine/prompts/prompts.ts';
import { SIDES, type Entry } from '../../journal/entry.ts';
import { maskEntries } from '../../journal/mask/mask.ts';
import type { IsKnownNumber } from '../../journal/mask/mask-forms.ts';
import { maskText } from '../../journal/mask/mask-text.ts';
import { JOURNAL_LIMITS } from '../../journal/journal.ts';
import type { Imported } from '../../journal/imports.ts';
import { kept, countValues, MOST_VALUES } from '../../journal/weigh.ts';
import { FORMAT, VERSION } from './time-line-wire.ts';
import { FLOWS, SOURCES, type TimeLines } from './time-lines.ts';
import { IMPORT_LIMIT_BYTES } from '../../http/bodies.ts';
import type { TypedApp } from '../../http/type-provider.ts';
import type { ControlOptions } from '../../options.ts';
import { AttemptRow, attemptRow } from './attempts-wire.ts';
import { ControlError } from '../errors.ts';
import { scopeOfCaller } from '../scope.ts';

const MOST_ENTRIES = JOURNAL_LIMITS.entries;
const MOST_FINDINGS = 50;
const MOST = 1_000_000_000;

const word = string({
  pattern: '^[A-Za-z0-9_.-]{1,64}$',
  title: '1 to 64 letters, digits and characters of _.-',
});
const line = string({ maxLength: 128 });
const long = string({ maxLength: JOURNAL_LIMITS.entryCharacters });
const DAY = String.raw`20\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])`;
const HOUR = String.raw`([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{3})?(Z|\+00:00)`;
const time = string({
  pattern: `^${DAY}T${HOUR}$`,
  examples: ['2026-01-31T09:05:00+00:00'],
});
const wordOrNull = union(word, nothing());
const lineOrNull = union(line, nothing());

const texts = object({ ar: long, en: long });

const FileAttempt = object({
  id: string({ minLength: 1, maxLength: 128 }),
  flow: oneOf(FLOWS),
  state: word,
  reason: wordOrNull,
  scope: word,
  // Files of earlier versions have the name in one language.
  client: union(object({ ar: line, en: line }), lineOrNull),
  service: lineOrNull,
  created_at: time,
  expires_at: time,
  entries: integer({ minimum: 0, maximum: MOST }),
  source: oneOf(SOURCES),
  // Files of earlier versions have none.
  planned: optional(boolean()),
  // Files of earlier versions have none. It is read from the entries.
  answered: optional(boolean()),
  // Files of earlier versions have none, or one without an id.
  person: optional(union(object({ id: optional(word), ar: long, en: long }), nothing())),
});

const FileMessage = object({ headers: record(long), body: {} });

const FileExchange = object({
  method: word,
  path: long,
  status: union(integer({ minimum: 100, maximum: 999 }), nothing()),
  code: lineOrNull,
  duration_ms: integer({ minimum: 0, maximum: MOST }),
  request: FileMessage,
  response: FileMessage,
});

const FileEntry = object({
  number: integer({ minimum: 1, maximum: MOST }),
  at: time,
  side: oneOf(SIDES),
  name: word,
  exchange: union(FileExchange, nothing()),
  act: union(
    object({ decision: union(oneOf(DECISIONS), nothing()), by: oneOf(['person', 'outcome']) }),
    nothing(),
  ),
});

const FileFinding = object({
  rule: word,
  title: texts,
  advice: texts,
  entries: list(integer({ minimum: 1, maximum: MOST }), { maxItems: MOST_ENTRIES }),
});

const ImportBody = object({
  format: oneOf([FORMAT]),
  version: integer({ minimum: VERSION, maximum: VERSION }),
  exported_at: time,
  data: object({
    attempt: FileAttempt,
    entries: list(FileEntry, { maxItems: MOST_ENTRIES }),
    left_out: integer({ minimum: 0, maximum: MOST }),
    findings: list(FileFinding, { maxItems: MOST_FINDINGS }),
  }),
});

type Body = Static<typeof ImportBody>;
type File = Body['data'];

/** What no schema can say is wrong with a file, each with its place: `/exported_at: must be ...`. */
function faultsIn(body: Body): readonly string[] {
  return [...dateFaults(body), ...numberFaults(body.data)];
}

/** Only the first one that the calendar does not have: a file can have hundreds. */
function dateFaults({ exported_at, data }: Body): readonly string[] {
  const { created_at, expires_at } = data.attempt;
  const times: ReadonlyArray<readonly [string, string]> = [
    ['/exported_at', exported_at],
    ['/data/attempt/created_at', created_at],
    ['/data/attempt/expires_at', expires_at],
    ...data.entries.map(({ at }, index) => [`/data/entries/${index}/at`, at] as const),
  ];
  const wrong = times.find(([, at]) => !isCalendarDay(at.slice(0, 10)));
  return wrong === undefined ? [] : [`${wrong[0]}: must be a day of the calendar`];
}

/** A number is the name of an entry, for the coach and for whoever shows them. */
function numberFaults({ entries }: File): readonly string[] {
  const seen = new Set<number>();
  const place = entries.findIndex(({ number }) => seen.size === seen.add(number).size);
  return place === -1 ? [] : [`/data/entries/${place}/number: must not be that of another entry`];
}

interface Place {
  readonly id: string;
  readonly scope: string;
  readonly isKnown: IsKnownNumber;
}

/** A time line of this instance, masked once more. */
function importedFrom(file: File, { id, scope, isKnown }: Place): Imported {
  const { attempt, entries, left_out: leftOut, findings } = file;
  const { created_at: createdAt, expires_at: expiresAt, ...facts } = attempt;
  const mask = { attemptId: '', secrets: [], isKnown };
  const masked = (text: string | null) => (text === null ? null : maskText(text, mask));
  const { flow, state } = facts;
  const times = { createdAt: Date.parse(createdAt), expiresAt: Date.parse(expiresAt) };
  const { client: named } = facts;
  const name = typeof named === 'string' ? { ar: named, en: named } : named;
  const client = name && { ar: maskText(name.ar, mask), en: maskText(name.en, mask) };
  const names = { reason: masked(facts.reason), client };
  const numbered = entries.map((row) => ({
    number: row.number,
    entry: kept(entryOf(row), JOURNAL_LIMITS.entryCharacters).entry,
  }));
  return {
    attempt: { id, flow, state, scope, ...names, service: masked(facts.service), ...times },
    entries: maskEntries(numbered, attempt.id, isKnown),
    leftOut,
    findings: findings.flatMap(knownFinding),
  };
}

/** What the coach says now: a file can't put words into its mouth. */
function knownFinding({ rule, entries }: File['findings'][number]): readonly Finding[] {
  const known = COACH_RULES.find(({ key }) => key === rule);
  if (known === undefined) return [];
  return [{ rule, title: known.title, advice: known.advice, entries }];
}

/** Its `code` follows from the answer. */
function entryOf({ at, side, name, exchange, act }: File['entries'][number]): Entry {
  const seen = { at: Date.parse(at), side, name, act };
  if (exchange === null) return { ...seen, exchange };
  const { duration_ms: durationMs, method, path, status, request, response } = exchange;
  return { ...seen, exchange: { method, path, status, durationMs, request, response } };
}

const TAKES =
  'The body is a file of GET /simulator/attempts/{id}/export, as it was: format "miftah-attempt", ' +
  `version 1. It has at most ${MOST_VALUES} values.`;

const ImportAnswer = openObject(
  { data: AttemptRow },
  { description: 'The attempt of the file, under a name of its own.' },
);

/** POST /simulator/import: keeps the time line of a file, to be looked at. */
export function importAttempt(
  app: TypedApp,
  timeLines: TimeLines,
  { journal }: ControlOptions,
): void {
  const schema = {
    operationId: 'importAttempt',
    summary: 'Keep the time line of a file',
    body: ImportBody,
    response: { 201: ImportAnswer },
  };
  const config = { takes: TAKES, isFile: true };
  const limits = { bodyLimit: IMPORT_LIMIT_BYTES, preValidation: limitValues };
  const options = { schema, ...limits, config };
  app.post('/import', options, (request, reply) => {
    const scope = scopeOfCaller(request);
    refuse(faultsIn(request.body));
    const isKnown = timeLines.isKnown(scope);
    const place = { id: `imported-${journal.turn()}`, scope, isKnown };
    const row = timeLines.add(importedFrom(request.body.data, place));
    reply.code(201);
    return { data: attemptRow(row) };
  });
}

/** @throws ControlError that tells each fault */
function refuse(faults: readonly string[]): void {
  if (faults.length === 0) return;
  throw new ControlError('validation.failed', { faults });
}

/** Before anything else walks over them. @throws ControlError */
function limitValues({ body }: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  if (countValues(body, MOST_VALUES) > MOST_VALUES) throw new ControlError('validation.failed');
  done();
}
