import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { FAULT_RUNS } from '../e2e/faults/index.ts';
import { addRecords, pageWith, readRecords, writeRecord } from '../e2e/faults/page.ts';
import type { FaultRecord, RunFigures } from '../e2e/faults/record.ts';
import { totalOf } from '../e2e/faults/total.ts';
import { PLANTED_BUGS } from '../planted/planted-bugs.ts';
import { temporaryFolder } from '../support/at-end.ts';
import { codesOf, readDocument } from './documents.ts';

const ROOT = join(import.meta.dirname, '../../..');
const page = readDocument('docs/reliability.md');
const records = readRecords(FAULT_RUNS);

const RECORD: FaultRecord = {
  name: 'example',
  fault: 'an example',
  promise: 'nothing is lost',
  cycles: 1200,
  kinds: '3 of them slow',
  acknowledged: 34_567,
  tokens: null,
  lost: 0,
  recoveryMs: 1250,
  planted: ['a bug'],
  worse: 'without syncs 40 of 50 lost',
  figures: {},
  date: '2026-01-02T03:04:05.000Z',
  seconds: 61,
  seed: 7,
  machine: { processor: 'any', cores: 2, node: 'v26.10.0', load: 0.5 },
  runs: [
    { date: '2025-12-31T03:04:05.000Z', seed: 6, cycles: 800, acknowledged: 30_000, lost: 2 },
    { date: '2026-01-02T03:04:05.000Z', seed: 7, cycles: 1200, acknowledged: 34_567, lost: 0 },
  ],
};

describe('docs/reliability.md', () => {
  it('has the figures that its records make (npm run faults -- --page writes it)', async () => {
    expect(records.length).toBeGreaterThan(0);
    expect(await pageWith(page, records)).toBe(page);
  });

  it('shows each figure of a record', async () => {
    const made = await pageWith(page, [RECORD]);
    expect(made).toContain(
      '\n- **an example**: nothing is lost.' +
        ' 1,200 cycles (3 of them slow), 34,567 acknowledged, 0 lost, recovery 1.3 s.' +
        ' Made worse on purpose: without syncs 40 of 50 lost.' +
        ' 2 runs since 2025-12-31: 2,000 cycles, 64,567 acknowledged, 2 lost.\n',
    );
  });

  it('refuses a page without the two markers', async () => {
    await expect(pageWith('# A page\n', [RECORD])).rejects.toThrow('end of figures');
  });

  it('has no record of a fault that is not run', () => {
    const files = readdirSync(join(ROOT, 'docs/reliability'));
    const names = files.map((file) => file.replace(/\.json$/, ''));
    expect(names.toSorted()).toEqual(records.map(({ name }) => name).toSorted());
  });

  it('names tests that are there', () => {
    const named = codesOf(page).filter((code) => /^[\w./-]+\.ts$/.test(code));
    const folders = ['', 'service/test/', 'service/test/support/faults/'];
    const missing = named.filter((name) =>
      folders.every((folder) => !existsSync(join(ROOT, folder, name))),
    );
    expect(missing).toEqual([]);
  });
});

describe('the record of a fault', () => {
  const SATURDAY = { date: '2026-01-03T00:00:00.000Z', seed: 1, cycles: 500 };
  const SUNDAY = { date: '2026-01-04T00:00:00.000Z', seed: 2, cycles: 700 };
  const LOSING = { date: '2026-01-05T00:00:00.000Z', seed: 3, cycles: 10, lost: 4 };

  it('keeps the figures of the newest run, and adds up all', async () => {
    const folder = newFolder();
    await writeRecord(recordOf(SATURDAY), folder);
    await writeRecord(recordOf(LOSING), folder);
    await writeRecord(recordOf(SUNDAY), folder);
    const [record = RECORD] = readRecords([RECORD], folder);
    expect(record).toMatchObject(LOSING);
    const total = { cycles: 1210, acknowledged: 150, lost: 4, runs: 3, since: SATURDAY.date };
    expect(totalOf(record)).toEqual(total);
  });

  it('does not count the attempts of a fault whose runs do not count them', () => {
    expect(totalOf(recordOf({ acknowledged: null })).acknowledged).toBeNull();
  });

  it('is merged with the records of other checkouts, and each run counts once', async () => {
    const [here, there] = [newFolder(), newFolder()];
    await writeRecord(recordOf(SATURDAY), here);
    await addRecords([RECORD], here, there);
    await writeRecord(recordOf(SUNDAY), here);
    await writeRecord(recordOf(LOSING), there);
    await addRecords([RECORD], there, here);
    await addRecords([RECORD], there, here);
    await addRecords([RECORD], here, there);
    const [record = RECORD] = readRecords([RECORD], here);
    expect(record.runs.map(({ cycles }) => cycles)).toEqual([500, 700, 10]);
    expect(readRecords([RECORD], there)).toEqual([record]);
  });

  it('is not looked for in vain', async () => {
    await expect(addRecords([RECORD], newFolder(), newFolder())).rejects.toThrow('no record');
  });
});

describe('the faults of npm run faults', () => {
  it('have a name and options of their own', () => {
    const names = FAULT_RUNS.map(({ name }) => name);
    const options = FAULT_RUNS.flatMap((run) => Object.keys(run.options));
    expect(names).toEqual([...new Set(names)]);
    expect(options).toEqual([...new Set(options)]);
  });

  it.each(FAULT_RUNS)('name planted bugs that are there: $name', ({ planted }) => {
    const known = new Set(PLANTED_BUGS.map(({ name }) => name));
    expect(planted.filter((name) => !known.has(name))).toEqual([]);
  });
});

function recordOf(given: Partial<RunFigures>): FaultRecord {
  const run = { date: '2026-01-01T00:00:00.000Z', seed: 0, cycles: 1, acknowledged: 50, lost: 0 };
  return { ...RECORD, ...run, ...given, runs: [{ ...run, ...given }] };
}

function newFolder(): URL {
  return pathToFileURL(`${temporaryFolder('records')}/`);
}
