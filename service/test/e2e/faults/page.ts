import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import type { FaultRun } from './fault-run.ts';
import type { FaultRecord } from './record.ts';
import { mergeRecords, totalOf } from './total.ts';

const PAGE = new URL('../../../../docs/reliability.md', import.meta.url);
const RECORDS = new URL('../../../../docs/reliability/', import.meta.url);

const BEGIN = '<!-- figures: what the runs found -->';
const END = '<!-- end of figures -->';

const HEADING = [
  'Fault',
  'Promise',
  'Cycles',
  'Acknowledged',
  'Tokens',
  'Lost',
  'Recovery',
  'Planted, and found',
  'The newest run',
  'All runs',
];

/** Adds the runs of this record to those that the folder has of the same fault. */
export async function writeRecord(record: FaultRecord, folder = RECORDS): Promise<void> {
  const [present] = readRecords([record], folder);
  const merged = present === undefined ? record : mergeRecords(present, record);
  const file = fileOf(record.name, folder);
  writeFileSync(file, await laidOut(JSON.stringify(merged), file));
}

/** The records that there are, in the order of the runs. */
export function readRecords(
  runs: readonly Pick<FaultRun, 'name'>[],
  folder = RECORDS,
): readonly FaultRecord[] {
  return runs
    .map(({ name }) => fileOf(name, folder))
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, 'utf8')) as FaultRecord);
}

/**
 * Adds the runs of records that another checkout has written.
 * @throws Error when there is no record in that folder
 */
export async function addRecords(
  runs: readonly Pick<FaultRun, 'name'>[],
  from: URL,
  folder = RECORDS,
): Promise<void> {
  const records = readRecords(runs, from);
  if (records.length === 0) throw new Error(`there is no record of a fault in ${from.pathname}`);
  for (const record of records) await writeRecord(record, folder);
}

/** Writes the table of docs/reliability.md anew. */
export async function writePage(records: readonly FaultRecord[]): Promise<void> {
  writeFileSync(PAGE, await pageWith(readFileSync(PAGE, 'utf8'), records));
}

/**
 * The page with the table of these records; the text outside the two markers stays.
 * @throws Error when the page does not have both markers
 */
export async function pageWith(page: string, records: readonly FaultRecord[]): Promise<string> {
  const from = page.indexOf(BEGIN);
  const to = page.indexOf(END);
  if (from === -1 || to < from) throw new Error(`the page has no "${BEGIN}" with "${END}"`);
  const table = [HEADING, HEADING.map(() => '---'), ...records.map(cellsOf)].map(lineOf);
  const text = `${page.slice(0, from)}${BEGIN}\n\n${table.join('\n')}\n\n${page.slice(to)}`;
  return laidOut(text, PAGE);
}

function cellsOf(record: FaultRecord): string[] {
  const { fault, promise, cycles, kinds, acknowledged, tokens, lost, recoveryMs } = record;
  return [
    fault,
    promise,
    kinds === null ? counted(cycles) : `${counted(cycles)} (${kinds})`,
    acknowledged === null ? '' : counted(acknowledged),
    tokens === null ? '' : counted(tokens),
    counted(lost),
    recoveryMs === null ? '' : `${(recoveryMs / 1000).toFixed(1)} s`,
    plantedOf(record),
    circumstancesOf(record),
    allRunsOf(record),
  ];
}

function plantedOf({ planted, worse }: FaultRecord): string {
  return [...planted.map((name) => `\`${name}\``), ...(worse === null ? [] : [worse])].join('; ');
}

function circumstancesOf({ date, seconds, seed, machine }: FaultRecord): string {
  const { cores, load } = machine;
  return `${date.slice(0, 10)}, ${counted(seconds)} s, ${cores} cores, load ${load}, seed ${seed}`;
}

function allRunsOf(record: FaultRecord): string {
  const { cycles, acknowledged, lost, runs, since } = totalOf(record);
  const started = acknowledged === null ? '' : `, ${counted(acknowledged)} acknowledged`;
  const first = `${counted(runs)} ${runs === 1 ? 'run' : 'runs'} since ${since.slice(0, 10)}`;
  return `${first}: ${counted(cycles)} cycles${started}, ${counted(lost)} lost`;
}

function counted(number: number): string {
  return number.toLocaleString('en');
}

function lineOf(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function fileOf(name: string, folder: URL): URL {
  return new URL(`${name}.json`, folder);
}

/** In the layout that `npm run format` gives to such a file. */
async function laidOut(text: string, file: URL): Promise<string> {
  return format(text, { ...(await resolveConfig(file)), filepath: file.pathname });
}
