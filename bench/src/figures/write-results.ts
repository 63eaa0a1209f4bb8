import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Machine } from './machine.ts';

const FOLDER = new URL('../../results/', import.meta.url);
const DIGITS = 4;

interface Kept {
  readonly takenAt: string;
  readonly machine: Machine;
}

/**
 * One file for each day and class of machine, and the newest once more as `latest.json`; before the
 * names stands what was measured, if it is not the rates.
 */
export function writeResults(
  results: Kept & Readonly<Record<string, unknown>>,
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
