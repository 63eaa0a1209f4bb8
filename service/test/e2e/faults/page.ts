import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import type { FaultRun } from './fault-run.ts';
import type { FaultRecord } from './record.ts';
import { mergeRecords, totalOf } from './total.ts';

const PAGE = new URL('../../../../docs/reliability.md', import.meta.url);
const RECORDS = new URL('../../../../docs/reliability/', import.meta.url);

const BEGIN = '<!-- figures: what the runs found -->';
const END = '<!-- end of figures -->';

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

/** Writes the figures of docs/reliability.md anew. */
export async function writePage(records: readonly FaultRecord[]): Promise<void> {
  writeFileSync(PAGE, await pageWith(readFileSync(PAGE, 'utf8'), records));
}

/**
 * The page with the figures of these records; the text outside the two markers stays.
 * @throws Error when the page does not have both markers
 */
export async function pageWith(page: string, records: readonly FaultRecord[]): Promise<string> {
  const from = page.indexOf(BEGIN);
  const to = page.indexOf(END);
  if (from === -1 || to < from) throw new Error(`the page has no "${BEGIN}" with "${END}"`);
  const text = `${page.slice(0, from)}${BEGIN}\n\n${records.map(entryOf).join('\n')}\n\n${page.slice(to)}`;
  return laidOut(text, PAGE);
}

function entryOf(record: FaultRecord): string {
  const { fault, promise, worse } = record;
  const made = worse === null ? '' : `Made worse on purpose: ${worse}.`;
  const lines = [`**${fault}**: ${promise}.`, figuresOf(record), made, allRunsOf(record)];
  return `- ${lines.filter((line) => line !== '').join(' ')}`;
}

function figuresOf({ cycles, kinds, acknowledged, tokens, lost, recoveryMs }: FaultRecord) {
  const figures = [
    `${cyclesOf(cycles)}${kinds === null ? '' : ` (${kinds})`}`,
    ...(acknowledged === null ? [] : [`${counted(acknowledged)} acknowledged`]),
    ...(tokens === null ? [] : [`${counted(tokens)} tokens`]),
    `${counted(lost)} lost`,
    ...(recoveryMs === null ? [] : [`recovery ${(recoveryMs / 1000).toFixed(1)} s`]),
  ];
  return `${figures.join(', ')}.`;
}

/** The day of the only run, or the sum of all. */
function allRunsOf(record: FaultRecord): string {
  const { cycles, acknowledged, lost, runs, since } = totalOf(record);
  if (runs === 1) return `${since.slice(0, 10)}.`;
  const started = acknowledged === null ? '' : `, ${counted(acknowledged)} acknowledged`;
  const first = `${counted(runs)} runs since ${since.slice(0, 10)}`;
  return `${first}: ${cyclesOf(cycles)}${started}, ${counted(lost)} lost.`;
}

function cyclesOf(cycles: number): string {
  return `${counted(cycles)} ${cycles === 1 ? 'cycle' : 'cycles'}`;
}

function counted(number: number): string {
  return number.toLocaleString('en');
}

function fileOf(name: string, folder: URL): URL {
  return new URL(`${name}.json`, folder);
}

/** In the layout that `npm run format` gives to such a file. */
async function laidOut(text: string, file: URL): Promise<string> {
  return format(text, { ...(await resolveConfig(file)), filepath: file.pathname });
}
