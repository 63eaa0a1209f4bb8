import { DriveFailure, EXIT_UNREACHED } from './failure.ts';
import { withoutControls } from './without-controls.ts';
import { rowOf, textOf } from './rows.ts';
import type { Session } from './session.ts';
import { SECOND_MS } from '../../values/time.ts';

const MINUTE_SECONDS = 60;
const READ_LIMIT_MS = 2 * SECOND_MS;
/** To the start of the line, and erases it. */
const ANEW = '\r\u001b[K';

/**
 * Shows what is waited for and the time left: on a terminal one line that counts down, otherwise
 * one note.
 * @param end of the time to sign in: milliseconds since 1970, by the clock of the instance
 * @throws DriveFailure at Ctrl-C
 */
export async function showProgress(
  session: Session,
  end: number,
  what: string,
): Promise<{ readonly end: () => void }> {
  const { err, timer } = session.context;
  const timeOf = instanceTime(session);
  const text = (now: number) => `${withoutControls(what)} ${leftText(end, now)}`;
  const first = text(await timeOf());
  if (err.isTTY !== true) {
    session.note(first);
    return { end: () => undefined };
  }
  let cancel: (() => void) | null = null;
  let isOver = false;
  const show = (line: string) => {
    if (isOver) return;
    err.write(ANEW + line);
    cancel = timer.after(SECOND_MS, again);
  };
  // At Ctrl-C the line stays as it is, until the command ends it.
  const again = () =>
    void timeOf().then(
      (now) => show(text(now)),
      () => undefined,
    );
  show(first);
  return {
    end: () => {
      isOver = true;
      cancel?.();
      err.write(ANEW);
    },
  };
}

/**
 * Reads the clock of the instance, which tests can move and stop at any moment. A service without a
 * control API has the time of everybody, and is asked once.
 */
function instanceTime({ control, context: { clock } }: Session): () => Promise<number> {
  let aheadMs = 0;
  let hasControl = true;
  return async () => {
    if (!hasControl) return clock.now();
    try {
      // The end of the command waits for a call that is under way.
      const answer = rowOf(await control.call('readClock', { limitMs: READ_LIMIT_MS }));
      aheadMs = (Date.parse(textOf(answer, 'now')) || clock.now()) - clock.now();
    } catch (error) {
      if (!(error instanceof DriveFailure) || error.code === 'command.interrupted') throw error;
      hasControl = error.exitCode === EXIT_UNREACHED;
    }
    return clock.now() + aheadMs;
  };
}

/**
 * The line fits into 80 columns: the next one could not replace a line that is broken in two.
 */
function leftText(end: number, now: number): string {
  const seconds = Math.max(0, Math.floor((end - now) / SECOND_MS));
  const rest = String(seconds % MINUTE_SECONDS).padStart(2, '0');
  return `${Math.floor(seconds / MINUTE_SECONDS)}:${rest} left.`;
}
