import { SECOND_MS, type Ms } from '../domain/time.ts';
import type { SharedNotes } from '../ports/coordination.ts';
import type { Timer } from '../ports/runtime.ts';
import { noteIn, NOTE_KEEP_MS, type RosterNote } from './instance-note.ts';

const LOOK_INTERVAL_MS: Ms = SECOND_MS;
/** By then whoever is dead is not listed any more, and whoever runs has written a new note. */
const MOST_LOOKS = NOTE_KEEP_MS / LOOK_INTERVAL_MS + 1;

interface Looks {
  readonly notes: Pick<SharedNotes, 'list'>;
  readonly timer: Timer;
  /** Called once if this takes longer than a moment: somebody is listed who may be dead. */
  readonly onUnsure: () => void;
}

/**
 * Who uses the database now. A program that was killed is listed for 45 seconds more, and a backup
 * may bring old notes with it. So this waits, at most that long, until everybody who is listed has
 * gone, or somebody has written a new note.
 */
export async function whoRuns({ notes, timer, onUnsure }: Looks): Promise<readonly RosterNote[]> {
  let listed = await notes.list('instance');
  if (listed.length === 0) return [];
  const first = new Map(listed.map(({ name, version }) => [name, version]));
  onUnsure();
  for (let looks = 1; looks < MOST_LOOKS; looks += 1) {
    await pause(timer);
    listed = await notes.list('instance');
    const isOneNew = listed.some(({ name, version }) => first.get(name) !== version);
    if (listed.length === 0 || isOneNew) break;
  }
  return listed.map(({ text }) => noteIn(text));
}

function pause(timer: Timer): Promise<void> {
  return new Promise((resolve) => void timer.after(LOOK_INTERVAL_MS, resolve));
}
