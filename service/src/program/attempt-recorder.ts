import type { Journal } from '@miftah/simulator/app';
import type {
  ExchangeRecorder,
  Headers,
  RecordedExchange,
  RecordedStart,
} from '../ports/exchange-recorder.ts';

/** As many as the journal of the simulator has attempts. */
const MOST_STARTS = 2000;

/** More of a header says nothing to anybody. */
const MOST_CHARACTERS = 1024;

/** The headers that explain an exchange. */
const REQUEST_HEADERS = [
  'accept',
  'accept-language',
  'authorization',
  'content-type',
  'cookie',
  'idempotency-key',
  'last-event-id',
  'origin',
  'prefer',
  'referer',
  'user-agent',
  'x-end-user-address',
  'x-miftah-scope',
  'x-provider-attempt-token',
  'x-simulate',
] as const;

const RESPONSE_HEADERS = [
  'content-type',
  'idempotency-replayed',
  'location',
  'retry-after',
  'set-cookie',
  'x-request-id',
] as const;

/**
 * Writes the exchanges of area A into the journal of the simulator: those of the newest attempts that
 * were started at this instance, each in the scope of its start.
 */
export class AttemptRecorder implements ExchangeRecorder {
  readonly #journal: Journal;
  readonly #starts = new Map<string, RecordedStart>();
  readonly #limit: number;

  constructor(journal: Journal, limit: number = MOST_STARTS) {
    this.#journal = journal;
    this.#limit = limit;
  }

  turn(): number {
    return this.#journal.turn();
  }

  begin(start: RecordedStart): void {
    this.#starts.set(start.attemptId, start);
    if (this.#starts.size <= this.#limit) return;
    const [oldest] = this.#starts.keys();
    if (oldest !== undefined) this.#starts.delete(oldest);
  }

  record({ attemptId, begun, at, name, ...exchange }: RecordedExchange): void {
    const start = this.#starts.get(attemptId);
    if (start === undefined) return;
    const { method, path, status, durationMs, request, response } = exchange;
    const asked = { headers: chosen(request.headers, REQUEST_HEADERS), body: request.body };
    const told = { headers: chosen(response.headers, RESPONSE_HEADERS), body: response.body };
    const kept = { method, path, status, durationMs, request: asked, response: told };
    const entry = { at, side: 'area_a', name, exchange: kept, act: null } as const;
    this.#journal.record(attemptId, start.scope, entry, begun);
  }

  /** Where the person of an attempt is, as its start says; null if it is not known here. */
  addressOf(attemptId: string): string | null {
    return this.#starts.get(attemptId)?.address ?? null;
  }
}

function chosen(headers: Headers, names: readonly string[]): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  for (const name of names) {
    const value = headers[name];
    if (value !== undefined) kept[name] = String(value).slice(0, MOST_CHARACTERS);
  }
  return kept;
}
