import type { Table } from '../figures/report.ts';
import type { KitMeasured, WorkersMeasured } from '../measures/kit.ts';
import { markdownTable } from './markdown.ts';
import type { Section } from './write-page.ts';

export function startsTable({ firstStart, furtherStart }: KitMeasured): Table {
  return {
    heading: ['', 'ms'],
    rows: [
      ['the first `startMiftah()` of a process, with its imports', firstStart.toFixed(0)],
      ['each further one', furtherStart.toFixed(0)],
    ],
  };
}

export function workersTable({ ownInstances, scopes }: KitMeasured): Table {
  return {
    heading: ['', 'seconds', 'MB of a worker', 'MB of all processes'],
    rows: [
      rowOf(`${ownInstances.workers} workers, each with its own instance`, ownInstances),
      rowOf(`${scopes.workers} workers on one instance, each in a scope`, scopes),
    ],
  };
}

/** Goes into docs/testing-your-app.md. */
export function kitSection(measured: KitMeasured, goals: Table): Section {
  const tables = [startsTable(measured), goals, workersTable(measured)];
  return {
    name: 'kit',
    text: [
      ...tables.map(({ heading, rows }) => markdownTable(heading, rows)),
      `The load average of the machine was ${measured.load.toFixed(1)} at the end.`,
    ].join('\n\n'),
  };
}

function rowOf(name: string, { seconds, megabytesEach, megabytesInAll }: WorkersMeasured) {
  return [name, seconds.toFixed(1), megabytesEach.toFixed(0), megabytesInAll.toFixed(0)];
}
