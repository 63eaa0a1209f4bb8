import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runBounded } from './bounded-program.ts';
import type { Workshop } from './checkout-copy.ts';
import { textsWith } from './plant.ts';
import type { PlantedBug } from './planted-bug.ts';

const TSC = join('node_modules', 'typescript', 'bin', 'tsc');
const LIMIT_MS = 180_000;
/** A bug may also be in a file that has no types, as a script of the shell. */
const COMPILED = /\.(ts|mjs|js)$/;

/**
 * The bugs that do not compile, each with the compiler's message: a test that fails because of a
 * typing mistake in the bug has noticed nothing. Unused code is permitted.
 */
export async function findMistyped(
  workshop: Workshop,
  bugs: readonly PlantedBug[],
): Promise<ReadonlyMap<PlantedBug, string>> {
  if (bugs.length === 0) return new Map();
  const found = await checkTogether(workshop, bugs);
  if (found.size === 0) return found;
  // While one file has a syntax error, the compiler does not check the types of the others.
  const rest = bugs.filter((bug) => !found.has(bug));
  return new Map([...found, ...(await findMistyped(workshop, rest))]);
}

/** Checks all at once: each file with a bug is next to the correct file. */
async function checkTogether(
  workshop: Workshop,
  bugs: readonly PlantedBug[],
): Promise<ReadonlyMap<PlantedBug, string>> {
  const written = bugs.flatMap((bug, index) => {
    const files = [...textsWith(workshop.copy, bug)].filter(([file]) => COMPILED.test(file));
    return files.map(([file, text]) => ({ bug, file: besideOf(file, index), text }));
  });
  for (const { file, text } of written) writeFileSync(join(workshop.copy, file), text);
  const faults = await compilerFaults(workshop);
  for (const { file } of written) rmSync(join(workshop.copy, file));
  return new Map(
    written.flatMap(({ bug, file }) => {
      const fault = faults.find((line) => line.startsWith(file));
      return fault === undefined ? [] : [[bug, fault.slice(file.length)] as const];
    }),
  );
}

async function compilerFaults(workshop: Workshop): Promise<string[]> {
  const unused = ['--noUnusedLocals', 'false', '--noUnusedParameters', 'false'];
  const args = [TSC, '--project', 'tsconfig.json', '--pretty', 'false', ...unused];
  const { output, code } = await runBounded(workshop, args, LIMIT_MS);
  // 1 and 2 mean that there are errors, possibly in files without a bug.
  if (code === null || code > 2) throw new Error(`the types could not be checked: ${output}`);
  return output.split('\n').filter((line) => line.includes(': error TS'));
}

function besideOf(file: string, index: number): string {
  return file.replace(COMPILED, `.planted-${index}.$1`);
}
