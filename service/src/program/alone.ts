import { systemClock } from '../platform/clock.ts';
import { machineName } from '../platform/machine-name.ts';
import { createScheduler } from '../platform/scheduler.ts';
import { systemTimer } from '../platform/timer.ts';
import type { SharedNotes } from '../ports/coordination.ts';
import type { Random } from '../ports/runtime.ts';
import { busyWith } from './instance-note.ts';
import { InstanceRoster, nameForRoster, ROSTER_INTERVAL_MS } from './instance-roster.ts';
import { whoRuns } from './who-runs.ts';

const UNSURE =
  'Some instances are noted in this database. Waiting, at most 46 seconds, until it is certain ' +
  'whether they still run.';

/**
 * Lets a command work on a database while no instance uses it: it is refused while one runs, and
 * none starts before it is done.
 */
export function aloneIn(notes: SharedNotes, random: Random, tell: (line: string) => void) {
  return async <Result>(command: string, work: () => Promise<Result>): Promise<Result> => {
    // Before the own note is written: an instance that runs would stop because of it.
    const running = await whoRuns({ notes, timer: systemTimer, onUnsure: () => tell(UNSURE) });
    if (running.length > 0) throw new Error(busyWith(running));
    const roster = new InstanceRoster({
      notes,
      instance: nameForRoster(random),
      own: { command, place: machineName() },
      clock: systemClock,
      timer: systemTimer,
      onWait: tell,
      onConflict: (error) => tell(error.message),
    });
    await roster.enter();
    const scheduler = createScheduler(() => undefined);
    const renewal = scheduler.every(ROSTER_INTERVAL_MS, () => roster.renew());
    try {
      return await work();
    } finally {
      await renewal.stop();
      await roster.leave();
    }
  };
}
