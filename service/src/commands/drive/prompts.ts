import { InvalidArgumentError, Option } from 'commander';
import type { AddDriveCommand, DriveContext } from '../instance/drive-context.ts';
import { DriveFailure, misused } from '../instance/failure.ts';
import { findPrompt, nationalIdIn } from '../instance/find-prompt.ts';
import { rowOf, rowsOf, textOf, type Row } from '../instance/rows.ts';
import { onRun, driveCommand, type Session } from '../instance/session.ts';
import { SECOND_MS } from '../../values/time.ts';
import { listOf, painted, styleOfState, tableOf, type Column } from './table.ts';

const LONGEST_WAIT_SECONDS = 30;

const PROMPTS: readonly Column[] = [
  { title: 'ATTEMPT', of: 'request_id' },
  { title: 'KIND', of: 'kind' },
  { title: 'NATIONAL ID', of: 'national_id' },
  { title: 'NUMBER', of: 'random' },
  { title: 'EXPIRES', of: 'expires_at' },
];

/** What a person can do, by the name of the command. */
const DECISIONS = [
  { name: 'approve', decision: 'approve', says: 'approves the prompt that waits' },
  { name: 'refuse', decision: 'refuse', says: 'refuses it' },
  { name: 'not-me', decision: 'not_me', says: 'says that somebody else has asked' },
  {
    name: 'wrong-number',
    decision: 'wrong_number',
    says: 'picks another number than the one shown',
  },
  { name: 'ignore', decision: 'ignore', says: 'puts it away without an answer' },
] as const;

const WHO_SIGNS_IN = 'who signs in, see `miftah people`';

interface DecisionOptions {
  readonly timeout: number;
  readonly person?: string;
}

/** `miftah prompts`. */
export const promptsCommand: AddDriveCommand = (program, context) => {
  const prompts = driveCommand(program, 'prompts', 'what waits for a person, oldest first').option(
    '--attempt <id>',
    'of one attempt',
  );
  onRun(prompts, context, async ({ control, print }, { attempt }: { attempt?: string }) => {
    const data = await control.call('listPrompts', { query: { request_id: attempt } });
    print(data, () => promptsShown(rowsOf(data), context));
  });
};

function promptsShown(rows: readonly Row[], { out }: DriveContext): string {
  return rows.length === 0 ? 'No prompt waits for a person.\n' : tableOf(rows, PROMPTS, out);
}

/** `miftah approve`, `refuse`, `not-me`, `wrong-number` and `ignore`. */
export const decisionCommands: AddDriveCommand = (program, context) => {
  for (const { name, decision, says } of DECISIONS) {
    const command = driveCommand(program, name, says)
      .argument(
        '[which]',
        'an attempt, a prompt, a national id or a person; not needed when one waits',
      )
      .option('--timeout <seconds>', 'how long to wait for the prompt', readSeconds, 5);
    if (decision === 'approve') command.option('--person <id>', WHO_SIGNS_IN);
    onRun(
      command,
      context,
      async (session, which: string | undefined, { timeout, person }: DecisionOptions) => {
        const prompt = await findPrompt(session, which, timeout * SECOND_MS);
        const data = await decide(session, textOf(prompt, 'id'), { decision, person });
        session.print(data, () => decidedShown(rowOf(data), context));
      },
    );
  }
};

/** Does what the person would do. @returns the prompt after it. @throws DriveFailure */
export function decide(
  { control }: Session,
  id: string,
  body: { readonly decision: string; readonly person?: string | undefined },
): Promise<unknown> {
  return control.call('decidePrompt', { id, body });
}

function decidedShown(row: Row, { out }: DriveContext): string {
  const columns = ['request_id', 'state', 'reason', 'person'].filter((name) => row[name] !== null);
  const titles = { request_id: 'attempt' } as Readonly<Record<string, string>>;
  return listOf(
    row,
    columns.map((name) => ({ title: titles[name] ?? name, of: name, style: styleOfState })),
    out,
  );
}

const UNTIL = ['prompt', 'authenticated', 'rejected', 'expired', 'failed'];

interface WaitOptions {
  /** Without it the end of an attempt, or the prompt of a national id. */
  readonly until?: string;
  readonly timeout: number;
}

/** `miftah wait`. */
export const waitCommand: AddDriveCommand = (program, context) => {
  const wait = driveCommand(
    program,
    'wait',
    'waits for the end of an attempt, or for a prompt (--until)',
  )
    .argument('<attempt-or-national-id>', 'an attempt; for a prompt also a national id')
    .addOption(
      new Option(
        '--until <state>',
        'what to wait for (default: authenticated, for a national id prompt)',
      ).choices(UNTIL),
    )
    .option('--timeout <seconds>', 'the longest wait', readSeconds, 10);
  onRun(wait, context, async ({ control, print }, which: string, options: WaitOptions) => {
    const { until, named } = wantedOf(which, options.until);
    const query = { until, timeout: String(options.timeout), ...named };
    const data = await control.call('waitUntil', { query });
    print(data, () => waitedShown(rowOf(data), until, context));
    if (rowOf(data)['reached'] !== true) throw notReached(rowOf(data), until);
  });
};

/** @throws DriveFailure */
function wantedOf(which: string, until: string | undefined) {
  const nationalId = nationalIdIn(which);
  if (nationalId === null) {
    return { until: until ?? 'authenticated', named: { attempt_id: which } };
  }
  if (until === undefined || until === 'prompt') {
    return { until: 'prompt', named: { national_id: nationalId } };
  }
  throw misused('By a national id only --until prompt can be waited for: name the attempt.');
}

function waitedShown(row: Row, until: string, { out }: DriveContext): string {
  if (row['reached'] !== true) return '';
  if (row['prompt'] !== null) return tableOf([rowOf(row['prompt'])], PROMPTS, out);
  return `${painted('green', textOf(row, 'status') || until, out)}\n`;
}

function notReached(row: Row, until: string): DriveFailure {
  const status = textOf(row, 'status');
  const isOver = status !== '' && status !== 'pending';
  const what = until === 'prompt' ? 'no prompt has come' : `the attempt is not ${until}`;
  if (isOver) {
    return new DriveFailure({
      code: 'command.not_reached',
      message: `The attempt has ended: it is ${status}, and will not be ${until}.`,
      remedy:
        '`miftah attempt`, with its id, shows what has happened; `miftah replay` starts it again.',
    });
  }
  return new DriveFailure({
    code: 'command.not_reached',
    message: `In this time ${what}.`,
    remedy:
      '--timeout waits longer, up to 30 seconds. `miftah prompts` lists what waits, and ' +
      '`miftah attempts` what was started.',
  });
}

function readSeconds(text: string): number {
  const seconds = Number(text);
  if (/^\d{1,2}$/.test(text) && seconds <= LONGEST_WAIT_SECONDS) return seconds;
  throw new InvalidArgumentError(`It is a number of seconds from 0 to ${LONGEST_WAIT_SECONDS}.`);
}
