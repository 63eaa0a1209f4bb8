import type { AddDriveCommand } from '../instance/drive-context.ts';
import { linesWithoutControls } from '../instance/without-controls.ts';
import { personOf, rowOf, rowsOf, textOf, type Row } from '../instance/rows.ts';
import { onRun, driveCommand, type Session } from '../instance/session.ts';
import { inWords, listOf, styleOfState, tableOf, type Column } from './table.ts';

const ATTEMPT: readonly Column[] = [
  { title: 'ATTEMPT', of: 'id' },
  { title: 'STARTED', of: 'created_at' },
  { title: 'APPLICATION', of: (row) => textOf(rowOf(row['client']), 'en') },
  { title: 'FLOW', of: inWords('flow') },
  { title: 'PERSON', of: personOf },
  { title: 'STATE', of: inWords('state'), style: styleOfState },
  { title: 'REASON', of: 'reason' },
];

const ENTRIES: readonly Column[] = [
  { title: 'NO', of: 'number' },
  { title: 'AT', of: (row) => textOf(row, 'at').slice(11, 23) },
  { title: 'WHERE', of: inWords('side') },
  { title: 'WHAT', of: 'name' },
  { title: 'ANSWER', of: answerOf },
];

/** `miftah attempt` and `miftah replay`: what happened to an attempt, and the same once more. */
export const timeLineCommands: AddDriveCommand = (program, context) => {
  const attempt = driveCommand(
    program,
    'attempt <attempt>',
    'what happened to an attempt, call by call',
  );
  onRun(attempt, context, async (session, id: string) => {
    const data = await session.control.call('readAttempt', { id });
    session.print(data, () => shown(rowOf(data), session));
  });
  const replay = driveCommand(program, 'replay <attempt>', 'starts the same sign-in again');
  onRun(replay, context, async ({ control, print }, id: string) => {
    const data = await control.call('replayAttempt', { id, body: {} });
    print(data, () => `${textOf(rowOf(data), 'attempt_id')}\n`);
  });
};

function shown(data: Row, { context: { out } }: Session): string {
  const findings = rowsOf(data['findings']).map(findingOf).join('');
  const id = textOf(rowOf(data['attempt']), 'id');
  const call: Column = { title: 'CALL', of: (row) => callOf(row, id) };
  const entries = tableOf(rowsOf(data['entries']), [...ENTRIES, call], out);
  return `${listOf(rowOf(data['attempt']), ATTEMPT, out)}\n${entries}${findings}`;
}

function findingOf({ title, advice, entries }: Row): string {
  const numbers = Array.isArray(entries) && entries.length > 0 ? ` (${entries.join(', ')})` : '';
  const [what, todo] = [title, advice].map((texts) => plain(textOf(rowOf(texts), 'en')));
  return `\n${linesWithoutControls(`${what}${numbers}\n  ${todo}\n`)}`;
}

/** The marks around codes are for pages. */
function plain(text: string): string {
  return text.replaceAll('`', '');
}

/** The status of a call and the code of its error, or who has decided what. */
function answerOf({ exchange, act: done }: Row): string {
  if (done !== null) return `${textOf(rowOf(done), 'decision')} by ${textOf(rowOf(done), 'by')}`;
  if (exchange === null) return '';
  const status = textOf(rowOf(exchange), 'status') || 'none';
  return `${status} ${textOf(rowOf(exchange), 'code')}`.trim();
}

/** The id stands above the table, and would leave no place for the rest. */
function callOf({ exchange }: Row, id: string): string {
  if (exchange === null) return '';
  const [path = ''] = textOf(rowOf(exchange), 'path').split('?');
  const short = id === '' ? path : path.replaceAll(id, '{attempt_id}');
  return `${textOf(rowOf(exchange), 'method')} ${short}`;
}
