import type { CoachInput } from '../../src/coach/rule.ts';
import type { Entry, Message } from '../../src/journal/entry.ts';

/** When the attempts of these tests begin. */
export const T0 = Date.UTC(2026, 0, 31, 9);

interface Sent {
  readonly path?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly answer?: unknown;
  readonly answerHeaders?: Readonly<Record<string, string>>;
}

/** A call of an application, so many milliseconds after the start; each takes ten. */
export function call(at: number, name: string, sent: Sent = {}): Entry {
  const { path = `/${name}`, status = 200, headers = {}, answerHeaders = {} } = sent;
  return {
    at: T0 + at,
    side: 'area_a',
    name,
    exchange: {
      method: name === 'readStatus' ? 'GET' : 'POST',
      path,
      status,
      durationMs: 10,
      request: message(headers, sent.body),
      response: message(answerHeaders, sent.answer),
    },
    act: null,
  };
}

const message = (headers: Message['headers'], body: unknown = null): Message => ({ headers, body });

export const start = (): Entry =>
  call(0, 'startAttempt', { answer: { data: { random: '042917' } } });

export function read(at: number, status: string, sent: Sent = {}): Entry {
  return call(at, 'readStatus', { ...sent, answer: { data: { status, token_ready: true } } });
}

/** Everything has had its time. */
export const LONG_AFTER = T0 + 2_000_000;

export function timeLine(
  entries: readonly Entry[],
  more: Partial<Omit<CoachInput, 'entries'>> = {},
): CoachInput {
  return {
    flow: 'mfa',
    state: 'authenticated',
    createdAt: T0,
    endedAt: null,
    now: T0 + 60_000,
    othersStarted: [],
    isKey: () => true,
    ...more,
    entries: entries.map((entry, place) => ({ number: place + 1, entry })),
  };
}

/** Calls that are so many milliseconds apart. */
export function every(
  gap: number,
  times: number,
  make: (at: number) => Entry,
  from = gap,
): readonly Entry[] {
  return Array.from({ length: times }, (_, place) => make(from + place * gap));
}
