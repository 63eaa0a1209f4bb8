import { DriveFailure } from './failure.ts';
import { pause } from './pause.ts';
import { rowsOf, textOf, type Row } from './rows.ts';
import type { Session } from './session.ts';

const LOOK_AGAIN_MS = 250;

/**
 * The prompt that is meant, as soon as it waits for a person.
 * @param which the id of a prompt or an attempt, or a national id: the oldest of that person. When
 * it is undefined there has to be exactly one prompt.
 * @param limitMs how long it is waited for
 * @throws DriveFailure
 */
export async function findPrompt(
  session: Session,
  which: string | undefined,
  limitMs: number,
): Promise<Row> {
  const { clock } = session.context;
  const end = clock.now() + limitMs;
  for (;;) {
    const waiting = rowsOf(await session.control.call('listPrompts'));
    const meant = which === undefined ? waiting : waiting.filter((row) => isCalled(row, which));
    const [found] = meant;
    if (which === undefined && meant.length > 1) throw several(meant);
    if (found !== undefined) return found;
    if (clock.now() >= end) throw none(which);
    await pause(session, LOOK_AGAIN_MS);
  }
}

function isCalled(row: Row, which: string): boolean {
  return ['id', 'request_id', 'national_id'].some((name) => textOf(row, name) === which);
}

function none(which: string | undefined): DriveFailure {
  return new DriveFailure({
    code: 'prompt.not_found',
    message: which === undefined ? 'No prompt waits for a person.' : 'No such prompt waits.',
    remedy: '`miftah prompts` lists what waits; --timeout waits longer for one that comes.',
  });
}

function several(waiting: readonly Row[]): DriveFailure {
  return new DriveFailure({
    code: 'command.several_prompts',
    message: `${waiting.length} prompts wait.`,
    remedy: 'Name one by the id of its attempt: `miftah prompts` lists them.',
  });
}
