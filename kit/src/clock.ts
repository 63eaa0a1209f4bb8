import { DURATION_PATTERN, MOMENT_PATTERN } from '@miftah/contract/control';
import type { ControlApi } from './control-api.ts';
import { guarded, isMoment, optional, type Rule } from './options.ts';
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

const MOMENT_FORM = new RegExp(`^${MOMENT_PATTERN}$`);
const DURATION = new RegExp(`^${DURATION_PATTERN}$`);

export function clockOf(control: ControlApi): ClockOfMiftah {
  const move = async (body: object) => stateFrom(await control.call('moveClock', { body }));
  const clock: ClockOfMiftah = {
    advance: (by) => move({ advance: durationOf(by) }),
    freeze: (at = 'now') => move({ freeze: at === 'now' ? at : new Date(at) }),
    skew: (by) => move({ skew: durationOf(by) }),
    reset: () => move({ reset: true }),
    state: async () => stateFrom(await control.call('readClock')),
  };
  const rules = {
    advance: [ADVANCE],
    freeze: [MOMENT],
    skew: [SKEW],
    reset: [],
    state: [],
  } as const;
  return guarded(clock, rules, 'clock.');
}

function stateFrom(data: unknown): ClockState {
  if (has<ClockState>(data, 'now', 'frozen')) return data;
  throw new Error('/simulator/clock has answered without a time.');
}

const durationOf = (by: string | number) => (typeof by === 'number' ? `${by}ms` : by);

const isDuration = (by: unknown): by is string | number =>
  (typeof by === 'number' || typeof by === 'string') && DURATION.test(durationOf(by));

const LENGTH = 'a number and ms, s, m, h or d';

const ADVANCE: Rule<string | number> = {
  name: 'by',
  says:
    `is ${LENGTH}, such as '5m' or '90s', or whole milliseconds ` +
    '(time only goes on: freeze() and reset() take it back)',
  holds: isDuration,
};

const SKEW: Rule<string | number> = {
  name: 'by',
  says: `is ${LENGTH}, such as '2m' or '-90s', or whole milliseconds`,
  holds: (by): by is string | number =>
    isDuration(
      typeof by === 'string' ? by.replace(/^-/, '') : typeof by === 'number' && Math.abs(by),
    ),
};

const MOMENT = optional<Date | string>({
  name: 'at',
  says: "is nothing, a Date, or a time such as '2026-01-31T09:05:00Z'",
  holds: (at): at is Date | string =>
    at === 'now' || (typeof at === 'string' ? MOMENT_FORM.test(at) : isMoment(at)),
});
