import { rmSync } from 'node:fs';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { folderInMemory } from './in-memory.ts';

type Ending = () => void | Promise<void>;

/** Registers a clean-up; by default it runs at the end of the test. */
export type AtEnd = (work: Ending) => void;

/**
 * Opens something before the first test of a file, and closes it after the last one, in reverse
 * order.
 * @param limitMs how long the opening may take, and the closing; by default as long as any hook
 */
export function share<Shared>(
  open: (atEnd: AtEnd) => Promise<Shared>,
  limitMs?: number,
): () => Shared {
  const endings: Ending[] = [];
  let shared: { readonly value: Shared } | null = null;
  beforeAll(async () => {
    shared = { value: await open((work) => void endings.push(work)) };
  }, limitMs);
  afterAll(async () => {
    for (const end of endings.toReversed()) await end();
  }, limitMs);
  return () => {
    if (shared === null) throw new Error('it opens before the first test, not earlier');
    return shared.value;
  };
}

/** A temporary folder that is removed at the end. */
export function temporaryFolder(name: string, atEnd: AtEnd = onTestFinished): string {
  const folder = folderInMemory(name);
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
