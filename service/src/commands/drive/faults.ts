import { InvalidArgumentError, Option } from 'commander';
import type { AddDriveCommand } from '../instance/drive-context.ts';
import { misused } from '../instance/failure.ts';
import { group } from '../instance/group.ts';
import { jsonIn } from '../instance/json-file.ts';
import { rowOf, rowsOf, textOf, type Row } from '../instance/rows.ts';
import { onRun, driveCommand, type Session } from '../instance/session.ts';
import { tableOf, type Column } from './table.ts';

const FAULTS: readonly Column[] = [
  { title: 'OPERATION', of: 'operation' },
  { title: 'FAULT', of: faultOf },
  { title: 'RATE', of: 'rate' },
  { title: 'SEED', of: 'seed' },
  { title: 'TIMES', of: 'times' },
  { title: 'SEEN', of: 'seen' },
  { title: 'HITS', of: 'hits' },
];

/** What a rule may have; the control API (`setFaults`) takes the same. */
const OPERATIONS = [
  'any',
  'session',
  'mfa_request',
  'mfa_status',
  'exchange',
  'jwk',
  'token_valid',
  'openid_token',
  'openid_userinfo',
  'openid_jwks',
  'openid_discovery',
] as const;
const STATUSES = ['403', '429', '500', '502', '503', '504'] as const;
const RECORDS = [
  '422-031-046',
  '422-016-023',
  '400-034-050',
  '400-034-051',
  '400-034-053',
  '401-033-024',
] as const;
const ANSWERS = ['malformed', 'cut', 'timeout'] as const;

const RECORDS_BY_OPERATION = `
Records: each operation has 422-031-046. Besides, mfa_request has 422-016-023 and 400-034-050,
mfa_status has 400-034-051 and 400-034-053, and exchange has 401-033-024. Those of openid_ have none.

A rule has an operation and one of --status, --record, --latency and --answer:
  miftah faults set --operation session --status 503 --times 2
  miftah faults set --operation any --latency 100-500 --rate 0.5`;

const FORM =
  'A rule has --operation and exactly one of --status, --record, --latency and --answer. ' +
  'Several rules are in a --file.';

interface Latency {
  readonly min: number;
  readonly max: number;
}

interface SetOptions {
  readonly operation?: string;
  readonly status?: string;
  readonly record?: string;
  readonly latency?: Latency;
  readonly answer?: string;
  readonly rate?: number;
  readonly seed?: number;
  readonly times?: number;
  readonly file?: string;
}

/** `miftah faults`: what calls of the provider meet. */
export const faultsCommand: AddDriveCommand = (program, context) => {
  const faults = group(program, 'faults', 'faults that calls of the provider meet');
  const show = driveCommand(faults, 'show', 'the rules, with their seeds and counts', {
    isDefault: true,
  });
  onRun(show, context, async (session) =>
    printFaults(session, await session.control.call('listFaults')),
  );
  const set = driveCommand(
    faults,
    'set',
    'sets one rule, or those of a file, in place of all others',
  )
    .addOption(new Option('--operation <name>', 'which calls').choices(OPERATIONS))
    .addOption(new Option('--status <number>', 'they get this HTTP status').choices(STATUSES))
    .addOption(new Option('--record <code>', 'they get this error record').choices(RECORDS))
    .option('--latency <ms>', 'they take this long, 0 to 10000; 100-500 for a range', readLatency)
    .addOption(new Option('--answer <kind>', 'how their answer is damaged').choices(ANSWERS))
    .option('--rate <share>', 'the share of the calls, 0 to 1 (all)', readNumber)
    .option('--seed <number>', 'the same calls meet the fault each time (chance)', readNumber)
    .option('--times <number>', 'only the first so many calls (all)', readNumber)
    .option('--file <path>', 'a JSON list of rules, as the API takes it; - reads standard input')
    .addHelpText('after', RECORDS_BY_OPERATION);
  onRun(set, context, async (session, options: SetOptions) => {
    const body = { faults: rulesOf(options, context.readFile) };
    printFaults(session, await session.control.call('setFaults', { body }));
  });
  onRun(driveCommand(faults, 'clear', 'ends all faults'), context, async (session) =>
    printFaults(session, await session.control.call('setFaults', { body: { faults: [] } })),
  );
};

function printFaults({ print, context }: Session, data: unknown): void {
  const rows = rowsOf(data);
  print(data, () => (rows.length === 0 ? 'No faults.\n' : tableOf(rows, FAULTS, context.out)));
}

/** @throws DriveFailure */
function rulesOf({ file, ...options }: SetOptions, readFile: (path: string) => string): unknown {
  // By name: the command also has the options of every command, such as --url.
  const { operation, record, answer, rate, seed, times, latency: latency_ms } = options;
  const status = options.status === undefined ? undefined : Number(options.status);
  const faults = { status, record, answer, latency_ms };
  const others = { operation, rate, seed, times };
  if (file !== undefined && count({ ...faults, ...others }) === 0) return jsonIn(file, readFile);
  if (file !== undefined) throw misused('Say either --file or the parts of a rule.');
  if (operation === undefined || count(faults) !== 1) throw misused(FORM);
  return [{ ...faults, ...others }];
}

function count(parts: object): number {
  return Object.values(parts).filter((part) => part !== undefined).length;
}

function faultOf(row: Row): string {
  const range = rowOf(row['latency_ms']);
  if ('min' in range) return `latency ${textOf(range, 'min')}-${textOf(range, 'max')} ms`;
  const name = ['status', 'record', 'answer'].find((one) => one in row) ?? 'latency_ms';
  return `${name} ${textOf(row, name)}`;
}

function readNumber(text: string): number {
  const number = Number(text);
  if (/^\d{1,15}(?:\.\d{1,9})?$/.test(text)) return number;
  throw new InvalidArgumentError('It is a number.');
}

function readLatency(text: string): Latency {
  const [, min = '', max = min] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(text) ?? [];
  if (min !== '') return { min: Number(min), max: Number(max) };
  throw new InvalidArgumentError('It is milliseconds such as 200, or a range such as 100-500.');
}
