import { InvalidArgumentError } from 'commander';
import type { AddDriveCommand } from './drive-context.ts';
import { misused } from './failure.ts';
import { group } from './group.ts';
import { jsonIn } from './json-file.ts';
import { rowOf, rowsOf, textOf, type Row } from './rows.ts';
import { act, driving, type Session } from './session.ts';
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

interface Latency {
  readonly min: number;
  readonly max: number;
}

interface SetOptions {
  readonly operation?: string;
  readonly status?: number;
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
  const show = driving(faults, 'show', 'the rules, with their seeds and counts', {
    isDefault: true,
  });
  act(show, context, async (session) =>
    printFaults(session, await session.control.call('listFaults')),
  );
  const set = driving(faults, 'set', 'sets one rule, or those of a file, in place of all others')
    .option('--operation <name>', 'which calls: session, mfa_request and others')
    .option('--status <number>', 'they are answered with this HTTP status', readNumber)
    .option('--record <code>', 'they are answered with this record of the provider')
    .option('--latency <ms>', 'they take this long; 100-500 for a range', readLatency)
    .option('--answer <kind>', 'malformed, cut or timeout')
    .option('--rate <share>', 'the share of the calls, 0 to 1', readNumber)
    .option('--seed <number>', 'the same calls meet the fault each time', readNumber)
    .option('--times <number>', 'only the first so many calls', readNumber)
    .option('--file <path>', 'a JSON list of rules, as the API takes it; - reads standard input');
  act(set, context, async (session, options: SetOptions) => {
    const body = { faults: rulesOf(options, context.readFile) };
    printFaults(session, await session.control.call('setFaults', { body }));
  });
  act(driving(faults, 'clear', 'ends all faults'), context, async (session) =>
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
  const { operation, status, record, answer, rate, seed, times, latency: latency_ms } = options;
  const rule = { operation, status, record, answer, rate, seed, times, latency_ms };
  const hasRule = Object.values(rule).some((part) => part !== undefined);
  if ((file === undefined) === !hasRule) throw misused('Say either --file or the parts of a rule.');
  return file === undefined ? [rule] : jsonIn(file, readFile);
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
