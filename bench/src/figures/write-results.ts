import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Machine } from './machine.ts';

const FOLDER = new URL('../../results/', import.meta.url);
const DIGITS = 4;

interface Measured {
  readonly takenAt: string;
  readonly machine: Machine;
}

/**
 * Writes one file per day and class of machine, and a copy of the newest as `latest.json`. If
 * something other than rates was measured, the names begin with what it was.
 */
export function writeResults(
  results: Measured & Readonly<Record<string, unknown>>,
  prefix = '',
): string {
  const day = results.takenAt.slice(0, 10);
  const file = fileURLToPath(new URL(`${prefix}${day}-${results.machine.class}.json`, FOLDER));
  const text = `${JSON.stringify(results, rounded, 2)}\n`;
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(file, text);
  writeFileSync(new URL(`${prefix}latest.json`, FOLDER), text);
  return file;
}

function rounded(_: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(DIGITS)) : value;
}
