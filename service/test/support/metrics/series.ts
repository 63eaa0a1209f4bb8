/** One line of the Prometheus text format. */
export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** @throws Error for a line that is neither a comment nor a series */
export function seriesOf(text: string): Series[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [, name, labels = '', value] = /^([a-z_:]\w*)(?:\{(.*)\})? (\S+)$/i.exec(line) ?? [];
    if (name === undefined) throw new Error(`no series: ${line}`);
    return { name, labels: labelsOf(labels), value: Number(value) };
  });
}

function labelsOf(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"(?:,|$)/g)];
  if (pairs.map(([pair]) => pair).join('') !== text) throw new Error(`no labels: ${text}`);
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value]));
}

/** The sum of the series of this name that have these labels. */
export function valueOf(
  series: readonly Series[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  return series
    .filter((one) => one.name === name)
    .filter((one) => Object.entries(labels).every(([key, value]) => one.labels[key] === value))
    .reduce((sum, { value }) => sum + value, 0);
}

/** The metrics that are described, each with its type. */
export function typesIn(text: string): ReadonlyMap<string, string> {
  return new Map(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]),
  );
}
