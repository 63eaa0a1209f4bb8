import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Results } from './results.ts';

const FOLDER = new URL('../../results/', import.meta.url);
const DIGITS = 4;

/** One file for each day and class of machine, and the newest once more as `latest.json`. */
export function writeResults(results: Results): string {
  const day = results.takenAt.slice(0, 10);
  const file = fileURLToPath(new URL(`${day}-${results.machine.class}.json`, FOLDER));
  const text = `${JSON.stringify(results, rounded, 2)}\n`;
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(file, text);
  writeFileSync(new URL('latest.json', FOLDER), text);
  return file;
}

function rounded(_: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(DIGITS)) : value;
}
