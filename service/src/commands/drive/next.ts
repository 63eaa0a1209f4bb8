import { InvalidArgumentError } from 'commander';
import type { AddDriveCommand } from '../instance/drive-context.ts';
import { DriveFailure, misused } from '../instance/failure.ts';
import { rowsOf } from '../instance/rows.ts';
import { onRun, driveCommand, type Session } from '../instance/session.ts';
import { tableOf, type Column } from './table.ts';

const NEXT: readonly Column[] = [
  { title: 'OUTCOME', of: 'outcome' },
  { title: 'AFTER, S', of: 'after' },
];

interface NextOptions {
  readonly after?: number;
  readonly clear?: true;
}

/** `miftah next`: what happens in the attempts that start next. */
export const nextCommand: AddDriveCommand = (program, context) => {
  const next = driveCommand(
    program,
    'next',
    'queues an outcome for the next attempt, or shows the queue',
  )
    .argument('[outcome]', 'see `miftah outcomes`')
    .option('--after <seconds>', 'when the person acts', readSeconds)
    .option('--clear', 'empties the queue');
  onRun(next, context, async (session, outcome: string | undefined, options: NextOptions) => {
    const data = await changed(session, outcome, options);
    const rows = rowsOf(data);
    session.print(data, () =>
      rows.length === 0 ? 'Nothing is queued.\n' : tableOf(rows, NEXT, context.out),
    );
  });
};

/** @returns the queue. @throws DriveFailure */
function changed(
  { control }: Session,
  outcome: string | undefined,
  { after, clear }: NextOptions,
): Promise<unknown> {
  if (outcome !== undefined && clear !== true) {
    return queued(control, outcome, after);
  }
  if (outcome !== undefined || after !== undefined) {
    throw misused('Say an outcome, with --after or without, or --clear alone.');
  }
  return control.call(clear === true ? 'clearNext' : 'listNext');
}

/** @throws DriveFailure, which speaks of this command: that of the API has its body and all outcomes */
async function queued(
  control: Session['control'],
  outcome: string,
  after: number | undefined,
): Promise<unknown> {
  try {
    return await control.call('queueNext', { body: { outcome, after } });
  } catch (error) {
    const isUnknown = error instanceof DriveFailure && error.message.includes('/outcome: must be');
    if (!isUnknown) throw error;
    const [near = ''] = / \(did you mean "\w+"\?\)/.exec(error.message) ?? [];
    throw new DriveFailure({
      code: error.code,
      message: `There is no outcome ${JSON.stringify(outcome)}${near}.`,
      remedy: '`miftah outcomes` lists them.',
    });
  }
}

function readSeconds(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a number of seconds.');
}
