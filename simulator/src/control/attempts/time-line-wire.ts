/** One attempt with its time line, and the file that has it. */
import {
  integer,
  list,
  nothing,
  object,
  oneOf,
  openObject,
  record,
  string,
  union,
  type Schema,
  type Static,
} from '@miftah/schema';
import { SIDES, type Exchange, type Message } from '../../journal/entry.ts';
import type { Numbered } from '../../journal/journal.ts';
import { AttemptRow, attemptRow } from './attempts-wire.ts';
import type { TimeLineFacts } from './time-lines.ts';

const text = string();
/** @param shown of any text in it: an answer has what was recorded, and a file must not be endless */
function entryRowOf(shown: Schema<string>) {
  const message = object({ headers: record(shown), /* Any JSON. */ body: {} });
  const exchange = object({
    method: shown,
    path: shown,
    status: union(integer({ minimum: 100, maximum: 999 }), nothing()),
    code: union(shown, nothing()),
    duration_ms: integer({ minimum: 0 }),
    request: message,
    response: message,
  });
  const act = object({ decision: union(shown, nothing()), by: oneOf(['person', 'outcome']) });
  return object({
    number: integer({ minimum: 1 }),
    at: shown,
    side: oneOf(SIDES),
    name: shown,
    exchange: union(exchange, nothing()),
    act: union(act, nothing()),
  });
}

const EntryRow = entryRowOf(text);

const FindingRow = openObject({
  rule: text,
  title: openObject({ ar: text, en: text }),
  advice: openObject({ ar: text, en: text }),
  entries: list(integer()),
});

const TimeLine = openObject({
  attempt: AttemptRow,
  entries: list(EntryRow),
  left_out: integer({ description: 'How many in the middle are not kept any more.' }),
  findings: list(FindingRow),
});

export const TimeLineAnswer = openObject(
  { data: TimeLine },
  { description: 'The attempt, and what happened to it.' },
);

export const FORMAT = 'miftah-attempt';
export const VERSION = 1;

export const ExportAnswer = openObject(
  {
    format: text,
    version: integer(),
    exported_at: text,
    data: TimeLine,
  },
  { description: 'The attempt as a file.' },
);

export function timeLineRow(facts: TimeLineFacts): Static<typeof TimeLine> {
  const { attempt, entries, leftOut, findings } = facts;
  return {
    attempt: attemptRow(attempt),
    entries: entries.map(entryRow),
    left_out: leftOut,
    findings: findings.map((one) => ({ ...one, entries: [...one.entries] })),
  };
}

export function entryRow({ number, entry }: Numbered): Static<typeof EntryRow> {
  const { at, side, name, exchange, act } = entry;
  const row = exchange === null ? null : exchangeRow(exchange);
  return { number, at: new Date(at).toISOString(), side, name, exchange: row, act };
}

function exchangeRow(exchange: Exchange): NonNullable<Static<typeof EntryRow>['exchange']> {
  const { method, path, status, durationMs, request, response } = exchange;
  const code = status !== null && status >= 400 ? codeIn(response) : null;
  return { method, path, status, code, duration_ms: durationMs, request, response };
}

/** A longer one is no code of the service or the provider. */
const MOST_CODE_CHARACTERS = 128;

/**
 * The code of an error: its answer is a problem of the service, a record of the provider, or what an
 * OpenID client is told (RFC 6749, section 5.2).
 */
function codeIn({ body }: Message): string | null {
  if (typeof body !== 'object' || body === null) return null;
  const { code, error }: { readonly code?: unknown; readonly error?: unknown } = body;
  const found = code ?? error;
  return typeof found === 'string' && found.length <= MOST_CODE_CHARACTERS ? found : null;
}
