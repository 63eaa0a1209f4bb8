import type { Rotation } from '../../commands/command-context.ts';
import { DAY_MS, type Ms } from '../../values/time.ts';

const NAME = /^miftah-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/;
/** 1 January 1970 was a Thursday. */
const DAYS_TO_MONDAY = 3;

/** Such as `miftah-20260131T021500Z.db`, so that the order of names is that of times. */
export function nameOfBackup(at: Ms): string {
  return `miftah-${new Date(at)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(/[-:]/g, '')}.db`;
}

export const isNameOfBackup = (name: string): boolean => dayOf(name) !== null;

/**
 * The backups that are kept no longer: neither the latest of a day nor the latest of a week that is
 * kept. A day without a backup counts for nothing, so time alone removes none. Other names are
 * somebody else's.
 */
export function surplusOf(names: readonly string[], { daily, weekly }: Rotation): string[] {
  const latestFirst = names.filter(isNameOfBackup).toSorted().toReversed();
  const kept = new Set([
    ...latestOfEach(latestFirst, dayOf).slice(0, daily),
    ...latestOfEach(latestFirst, weekOf).slice(0, weekly),
  ]);
  return latestFirst.filter((name) => !kept.has(name));
}

function latestOfEach(names: readonly string[], spanOf: (name: string) => number | null): string[] {
  return names.filter(
    (name, index) => index === 0 || spanOf(names[index - 1] ?? '') !== spanOf(name),
  );
}

/** Days since 1970; null for a name of somebody else. */
function dayOf(name: string): number | null {
  const [, year, month, day, hour, minute, second] = NAME.exec(name) ?? [];
  if (year === undefined) return null;
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(at) || nameOfBackup(at) !== name ? null : Math.floor(at / DAY_MS);
}

function weekOf(name: string): number | null {
  const day = dayOf(name);
  return day === null ? null : Math.floor((day + DAYS_TO_MONDAY) / 7);
}
