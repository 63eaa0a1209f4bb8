import type { Table } from '../figures/report.ts';
import type { Results } from '../figures/results.ts';
import { LAYERS } from '../measures/layers.ts';
import type { RequestProfile } from '../measures/profile-requests.ts';
import { markdownTable } from './markdown.ts';
import { machineText } from './sections.ts';
import type { Section } from './write-page.ts';

type FigureOf = (profile: RequestProfile) => number;

const SUMS: readonly (readonly [label: string, figureOf: FigureOf])[] = [
  ['**main thread**', ({ threads }) => threads.main.all],
  ['of it in the system', ({ threads }) => threads.main.system],
  ['**writing thread**', ({ threads }) => threads.worker.all],
  ['of it in the system: writing, flushing', ({ threads }) => threads.worker.system],
  ["**V8's helpers: collector, compiler**", ({ threads }) => threads.others.all],
  [
    '**all threads**',
    ({ threads: { main, worker, others } }) => main.all + worker.all + others.all,
  ],
];

export function profileTable(profiles: readonly RequestProfile[]): Table {
  const row = (label: string, figureOf: FigureOf) => [
    label,
    ...profiles.map((profile) => figureOf(profile).toFixed(1)),
  ];
  return {
    heading: ['CPU µs', ...profiles.map(({ name }) => name)],
    rows: [
      ...Object.values(LAYERS).map((layer) => row(layer, ({ layers }) => layers[layer] ?? 0)),
      ...SUMS.map(([label, figureOf]) => row(label, figureOf)),
    ],
  };
}

export function profileSection(
  profiles: readonly RequestProfile[],
  about: Pick<Results, 'takenAt' | 'machine'>,
): Section {
  const { heading, rows } = profileTable(profiles);
  const text = [machineText(about), markdownTable(heading, rows)].join('\n\n');
  return { name: 'profiles', text };
}
