import type { ControlApi } from './control-api.ts';
import { has } from './wire.ts';

/** The time of the instance, and how it was moved. */
export interface ClockState {
  readonly now: Date;
  readonly frozen: boolean;
  /** From the clock of the machine; negative: behind. */
  readonly aheadMs: number;
  /** How far the clock of the provider is ahead of that of the service; negative: behind. */
  readonly skewMs: number;
}

/** One clock for expiry, tokens, limits and delays. It belongs to the instance, not to a scope. */
export interface ClockOfMiftah {
  /** @param by `'5m'`, `'90s'`, `'250ms'`, `'12h'`, `'30d'`, or milliseconds */
  advance(by: string | number): Promise<ClockState>;
  /** Stops the time, now or at a moment of the years 2000 to 2099. */
  freeze(at?: Date | string): Promise<ClockState>;
  /** @param by how far the provider is ahead: `'2m'`, `'-2m'`, or milliseconds */
  skew(by: string | number): Promise<ClockState>;
  /** Back to the time of the machine, which goes on. */
  reset(): Promise<ClockState>;
  state(): Promise<ClockState>;
}

const DURATION = /^(?:0|[1-9]\d{0,9})(?:ms|s|m|h|d)$/;

export function clockOf(control: ControlApi): ClockOfMiftah {
  const move = async (body: object) => stateFrom(await control.send('POST', '/clock', body));
  return {
    advance: async (by) => move({ advance: durationOf('clock.advance', by, { mayBeLess: false }) }),
    freeze: async (at = 'now') => move({ freeze: momentOf(at) }),
    skew: async (by) => move({ skew: durationOf('clock.skew', by, { mayBeLess: true }) }),
    reset: async () => move({ reset: true }),
    state: async () => stateFrom(await control.get('/clock')),
  };
}

function stateFrom(data: unknown): ClockState {
  if (has<ClockState>(data, 'now', 'frozen')) return data;
  throw new Error('/simulator/clock has answered without a time.');
}

/** @throws TypeError that says what is taken */
function durationOf(
  call: string,
  by: string | number,
  { mayBeLess }: { readonly mayBeLess: boolean },
): string {
  const text = typeof by === 'number' ? `${by}ms` : by;
  const isNegative = typeof text === 'string' && text.startsWith('-');
  const size = isNegative && mayBeLess ? text.slice(1) : text;
  if (DURATION.test(size)) return text;
  const only = mayBeLess ? '' : ' Time only goes on: freeze() and reset() take it back.';
  const such = mayBeLess ? "such as '2m' or '-90s'" : "such as '5m' or '90s'";
  throw new TypeError(
    `${call} takes a number and ms, s, m, h or d, ${such}, or whole milliseconds.${only}`,
  );
}

function momentOf(at: Date | string): string {
  if (at === 'now') return at;
  const moment = new Date(at);
  if (!Number.isNaN(moment.getTime())) return moment.toISOString();
  throw new TypeError(
    "clock.freeze takes nothing, a Date, or a time such as '2026-01-31T09:05:00Z'.",
  );
}
