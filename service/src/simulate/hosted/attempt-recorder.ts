import { ANSWER_HEADERS, keptHeaders, REQUEST_HEADERS, type Journal } from '@miftah/simulator/app';
import type {
  ExchangeRecorder,
  RecordedExchange,
  RecordedStart,
} from '../../request/record/exchange-recorder.port.ts';
import { TiedExchanges } from './tied-exchanges.ts';

/** The application makes neither: a call of the provider, and one to the application's back end. */
const CALLBACKS: ReadonlySet<string> = new Set(['push_callback', 'webhook']);

/** As many as the journal of the simulator has attempts. */
const MOST_STARTS = 2000;

/** What is kept once while it stays the same. */
interface Repeatable {
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string | null;
}

/**
 * Writes the exchanges of area A into the journal of the simulator: those of the newest attempts that
 * were started at this instance, each in the scope of its start.
 */
export class AttemptRecorder implements ExchangeRecorder {
  readonly answerHeaders = ANSWER_HEADERS;
  readonly #journal: Journal;
  readonly #starts = new Map<string, RecordedStart>();
  /** One iterator for all, because a new one would walk over the deleted entries each time. */
  readonly #oldest = this.#starts.keys();
  /** Of each operation, what its last request and answer had: polls differ in little. */
  readonly #last = new Map<string, Repeatable>();
  readonly #tied = new TiedExchanges();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  turn(): number {
    return this.#journal.turn();
  }

  begin(start: RecordedStart): void {
    this.#starts.set(start.attemptId, start);
    if (this.#starts.size <= MOST_STARTS) return;
    const oldest = this.#oldest.next();
    if (oldest.done !== true) this.#starts.delete(oldest.value);
  }

  record(exchange: RecordedExchange): void {
    for (const one of this.#tied.add(exchange)) this.#record(one);
  }

  #record(exchange: RecordedExchange): void {
    const { attemptId, begun, at, name, method, path, status, durationMs } = exchange;
    const start = this.#starts.get(attemptId);
    if (start === undefined) return;
    const { request, response } = exchange;
    const { headers, text } = this.#repeatable(exchange);
    const asked = { headers, body: request.body };
    const told = { headers: keptHeaders(response.headers, ANSWER_HEADERS), body: text };
    const kept = { method, path, status, durationMs, request: asked, response: told };
    const side = CALLBACKS.has(name) ? 'callback' : 'area_a';
    const entry = { at, side, name, exchange: kept, act: null } as const;
    this.#journal.record(attemptId, start.scope, entry, begun);
  }

  #repeatable({ name, request, response }: RecordedExchange): Repeatable {
    const last = this.#last.get(name);
    const headers = keptHeaders(request.headers, REQUEST_HEADERS, last?.headers);
    if (last !== undefined && headers === last.headers && response.body === last.text) return last;
    const found = { headers, text: response.body };
    this.#last.set(name, found);
    return found;
  }

  /** Where the person of an attempt is, as its start says; null if it is not known here. */
  addressOf(attemptId: string): string | null {
    return this.#starts.get(attemptId)?.address ?? null;
  }
}
