import { DriveFailure } from './failure.ts';
import { printable } from './printable.ts';
import { rowOf, textOf } from './rows.ts';
import type { Session } from './session.ts';

const SECOND_MS = 1000;
const MINUTE_SECONDS = 60;
/** To the start of the line, and erases it. */
const ANEW = '\r\u001b[K';

/**
 * Shows what is waited for and the time left: on a terminal one line that counts down, otherwise
 * one note.
 * @param expiresAt by the clock of the instance
 */
export async function showProgress(
  session: Session,
  expiresAt: number,
  what: string,
): Promise<{ readonly end: () => void }> {
  const { err, clock, timer } = session.context;
  const ahead = await aheadOf(session);
  const text = () => `${printable(what)} ${leftText(expiresAt - ahead - clock.now())}`;
  if (err.isTTY !== true) {
    session.note(text());
    return { end: () => undefined };
  }
  let cancel: (() => void) | null = null;
  const tick = () => {
    err.write(ANEW + text());
    cancel = timer.after(SECOND_MS, tick);
  };
  tick();
  return {
    end: () => {
      cancel?.();
      err.write(ANEW);
    },
  };
}

/**
 * How far the clock of the instance, which tests can move, is ahead of this machine's. A service
 * without a control API has the time of everybody.
 */
async function aheadOf({ control, context: { clock } }: Session): Promise<number> {
  try {
    const now = Date.parse(textOf(rowOf(await control.call('readClock')), 'now'));
    return Number.isNaN(now) ? 0 : now - clock.now();
  } catch (error) {
    if (error instanceof DriveFailure && error.code !== 'command.interrupted') return 0;
    throw error;
  }
}

function leftText(leftMs: number): string {
  const seconds = Math.max(0, Math.floor(leftMs / SECOND_MS));
  const rest = String(seconds % MINUTE_SECONDS).padStart(2, '0');
  return `${Math.floor(seconds / MINUTE_SECONDS)}:${rest} left.`;
}
