import { DURATION_PATTERN, MOMENT_PATTERN } from '@miftah/contract/control';
import type { Command } from 'commander';
import type { AddDriveCommand, DriveContext } from '../instance/drive-context.ts';
import { misused } from '../instance/failure.ts';
import { group } from '../instance/group.ts';
import { rowOf, rowsOf } from '../instance/rows.ts';
import { onRun, driveCommand, type Session } from '../instance/session.ts';
import { listOf, tableOf, type Column } from './table.ts';

const TIME: readonly Column[] = [
  { title: 'now', of: 'now' },
  { title: 'frozen', of: 'frozen' },
  { title: 'ahead, ms', of: 'ahead_ms' },
  { title: 'provider ahead, ms', of: 'skew_ms' },
];

const KEYS: readonly Column[] = [
  { title: 'KEY', of: 'kid' },
  { title: 'ROLE', of: 'role' },
  { title: 'UNTIL', of: 'until' },
];

/** `miftah clock`, and what moves it. */
export const clockCommand: AddDriveCommand = (program, context) => {
  const clock = group(program, 'clock', 'the time of the instance');
  const show = driveCommand(clock, 'show', 'the time, and how it was moved', { isDefault: true });
  onRun(show, context, async (session) =>
    printTime(session, await session.control.call('readClock')),
  );
  move(clock, context, 'advance <duration>', 'moves it on: 5m, 90s, 2h', (by = '') => ({
    advance: durationOf(by, by),
  }));
  move(clock, context, 'freeze [time]', 'stops it, now or at a time (ISO 8601)', (at = 'now') => ({
    freeze: at === 'now' ? at : momentOf(at),
  }));
  move(
    clock,
    context,
    'skew <duration>',
    'puts the provider ahead of it, or behind: -2m',
    (by = '') => ({
      skew: durationOf(by, by.replace(/^-/, '')),
    }),
  );
  move(clock, context, 'reset', 'takes everything back', () => ({ reset: true }));
};

const DURATION = new RegExp(`^${DURATION_PATTERN}$`);
const MOMENT = new RegExp(`^${MOMENT_PATTERN}$`);

/** @throws DriveFailure in the words of a command: the service speaks of the members of a body */
function durationOf(given: string, length: string): string {
  if (DURATION.test(length)) return given;
  throw misused('A duration is a number and ms, s, m, h or d, such as 5m or 90s.');
}

function momentOf(text: string): string {
  if (MOMENT.test(text)) return text;
  throw misused('A time is like 2026-01-31T12:00:00Z; without one the clock stops now.');
}

function move(
  clock: Command,
  context: DriveContext,
  usage: string,
  description: string,
  bodyOf: (text: string | undefined) => object,
): void {
  // A duration of `skew` may begin with a minus, and is no option then.
  const command = driveCommand(clock, usage, description).allowUnknownOption(
    usage.startsWith('skew'),
  );
  onRun(command, context, async (session, first: unknown) => {
    const body = bodyOf(typeof first === 'string' ? first : undefined);
    printTime(session, await session.control.call('moveClock', { body }));
  });
}

function printTime({ print, context }: Session, data: unknown): void {
  print(data, () => listOf(rowOf(data), TIME, context.out));
}

/** `miftah signing-keys`: those of the simulated provider. */
export const signingKeysCommand: AddDriveCommand = (program, context) => {
  const keys = group(program, 'signing-keys', 'what the simulated provider signs with');
  const list = driveCommand(keys, 'list', 'the published keys', { isDefault: true });
  onRun(list, context, async (session) =>
    printKeys(session, await session.control.call('listKeys')),
  );
  onRun(driveCommand(keys, 'announce', 'publishes the next key'), context, async (session) =>
    printKeys(session, await session.control.call('announceKey', { body: {} })),
  );
  const rotate = driveCommand(keys, 'rotate', 'signs with another key').option(
    '--drop',
    'takes the old key away at once',
  );
  onRun(rotate, context, async (session, { drop }: { drop?: true }) => {
    const body = { old: drop === true ? 'drop' : 'keep' };
    printKeys(session, await session.control.call('rotateKeys', { body }));
  });
};

function printKeys({ print, context }: Session, data: unknown): void {
  print(data, () => tableOf(rowsOf(data), KEYS, context.out));
}
