import { pause } from '../instance/pause.ts';
import type { Session } from '../instance/session.ts';
import { SECOND_MS } from '../../values/time.ts';

export interface Pace {
  /** Starts per second. */
  readonly rate: number;
  readonly seconds: number;
  /** The most that are under way at once; what is due meanwhile is left out. */
  readonly most: number;
}

export interface Paced {
  readonly started: number;
  /** Those that were due while as many as allowed were under way. */
  readonly leftOut: number;
  /** The longest time by which one was started too late: this machine was busy. */
  readonly latestMs: number;
}

/** How many are due. Without the small part 0.29 a second for 100 seconds would be 28. */
export const countOf = ({ rate, seconds }: Pick<Pace, 'rate' | 'seconds'>): number =>
  Math.max(1, Math.floor(rate * seconds + 1e-6));

/**
 * Starts work at fixed times, however long the answers take: who waits for an answer before the next
 * request asks a slow service less often, and so measures too little.
 * @param work never rejects
 * @throws DriveFailure at Ctrl-C
 */
export async function atPace(
  session: Session,
  pace: Pace,
  work: (place: number) => Promise<void>,
): Promise<Paced> {
  const { clock } = session.context;
  const { rate, most } = pace;
  const beganAt = clock.now();
  const running = new Set<Promise<void>>();
  const paced = { started: 0, leftOut: 0, latestMs: 0 };
  const all = countOf(pace);
  for (let place = 0; place < all; place += 1) {
    const dueAt = beganAt + (place * SECOND_MS) / rate;
    const early = dueAt - clock.now();
    if (early >= 1) await pause(session, early);
    paced.latestMs = Math.max(paced.latestMs, clock.now() - dueAt);
    if (running.size >= most) {
      paced.leftOut += 1;
      continue;
    }
    paced.started += 1;
    const one = work(place).finally(() => running.delete(one));
    running.add(one);
  }
  await Promise.all(running);
  return { ...paced, latestMs: Math.round(paced.latestMs) };
}
