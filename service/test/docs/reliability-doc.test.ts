import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAULT_RUNS } from '../e2e/faults/index.ts';
import { pageWith, readRecords } from '../e2e/faults/page.ts';
import type { FaultRecord } from '../e2e/faults/record.ts';
import { PLANTED_BUGS } from '../planted/planted-bugs.ts';
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
};

describe('docs/reliability.md', () => {
  it('has the table that its records make (npm run faults -- --page writes it)', async () => {
    expect(records.length).toBeGreaterThan(0);
    expect(await pageWith(page, records)).toBe(page);
  });

  it('shows each figure of a record', async () => {
    const made = await pageWith(page, [RECORD]);
    const row = made.split('\n').find((line) => line.startsWith('| an example')) ?? '';
    expect(row.split('|').map((cell) => cell.trim())).toEqual([
      '',
      'an example',
      'nothing is lost',
      '1,200 (3 of them slow)',
      '34,567',
      '',
      '0',
      '1.3 s',
      '`a bug`; without syncs 40 of 50 lost',
      '2026-01-02, 61 s, 2 cores, load 0.5, seed 7',
      '',
    ]);
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
