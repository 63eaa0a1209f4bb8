/** If two means do not differ, |t| exceeds 4.5 only once in 150,000 comparisons. */
export const SURE = 4.5;

/** Welch's t of two samples with possibly different variances. */
export function welch(one: readonly number[], other: readonly number[]): number {
  const [a, b] = [momentsOf(one), momentsOf(other)];
  return (a.mean - b.mean) / Math.sqrt(a.variance / one.length + b.variance / other.length);
}

/** The samples without the slowest part of all, which garbage collections cause. */
export function withoutTail<Name extends string>(
  samples: Readonly<Record<Name, readonly number[]>>,
  kept: number,
): Record<Name, number[]> {
  const all = Object.values<readonly number[]>(samples)
    .flat()
    .toSorted((one, other) => one - other);
  const limit = all[Math.floor(all.length * kept) - 1] ?? 0;
  const entries = Object.entries<readonly number[]>(samples);
  const cropped = entries.map(([name, times]) => [name, times.filter((time) => time <= limit)]);
  return Object.fromEntries(cropped) as Record<Name, number[]>;
}

export function momentsOf(times: readonly number[]): { mean: number; variance: number } {
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
  const squares = times.reduce((sum, time) => sum + (time - mean) ** 2, 0);
  return { mean, variance: squares / (times.length - 1) };
}
