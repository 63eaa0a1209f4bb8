// The programs of a checkout in few files, for the tests: a third of the processor time of a start
// goes into finding and reading a thousand modules.

import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown, type OutputChunk, type Plugin } from 'rolldown';
import { BUNDLED_THREAD } from './program-files.ts';
import { root } from './run.mjs';

/** The thread that writes to SQLite, which is a program of its own, and what the tests keep of it. */
const THREAD = {
  'sqlite-worker': 'service/src/store/sqlite/thread/sqlite-worker.ts',
  'kept-thread': 'service/test/support/store/threads/kept-thread.ts',
};
const PROGRAMS = {
  service: 'service/start.mjs',
  miftah: 'service/miftah.mjs',
  simulator: 'simulator/src/main.ts',
  'service-later': 'service/test/support/postgres/programs/service-later.ts',
  'miftah-later': 'service/test/support/postgres/programs/miftah-later.ts',
  'never-closes': 'service/test/support/programs/never-closes.ts',
  ...THREAD,
};
/** How the service names it, and how a bundle does. */
export const THREAD_OF_SOURCES = "new URL('./thread/sqlite-worker.ts', import.meta.url)";
const THREAD_OF_BUNDLE = "new URL('./sqlite-worker.mjs', import.meta['url'])";
/** Not the system's folder for temporary files, where somebody else could leave code for us. */
const FOLDER = join(root, 'node_modules', '.cache', 'miftah-programs');
/** A checkout that is worked on would collect bundles of 13 MB. Other runs may still use theirs. */
const MOST_BUNDLES = 16;

/**
 * Bundles each program with everything that it imports. The folder is named after its contents, so
 * the cache of compiled code stays good, and runs beside each other do not disturb each other.
 * @returns the folder, with a file for each program, such as `service.mjs`
 */
export function bundlePrograms(): Promise<string> {
  return bundleOf(PROGRAMS);
}

/** @returns the file of the thread alone, for stores that tests open in their own process */
export async function bundleThread(): Promise<string> {
  return threadIn(await bundleOf(THREAD));
}

/** @param folder of a bundle */
export function threadIn(folder: string): string {
  return join(folder, 'sqlite-worker.mjs');
}

/**
 * A plugin of vitest: a store that a test opens in its own process starts the thread of the bundle,
 * one module in place of twenty. vitest keeps what it has transformed for later runs, so the place
 * of the bundle, which changes with the sources, is not part of it.
 */
export const startsBundledThread = {
  name: 'starts-bundled-thread',
  enforce: 'pre' as const,
  transform: (code: string) =>
    code.includes(`new Worker(${THREAD_OF_SOURCES}`)
      ? { code: code.replace(THREAD_OF_SOURCES, threadOf('./thread/sqlite-worker.ts')), map: null }
      : null,
};

function threadOf(sources: string): string {
  return `new URL(process.env['${BUNDLED_THREAD}'] ?? '${sources}', import.meta.url)`;
}

async function bundleOf(input: Readonly<Record<string, string>>): Promise<string> {
  const bundle = await rolldown({
    cwd: root,
    input: { ...input },
    platform: 'node',
    // A library of the OpenID Provider has one, which is not called.
    checks: { eval: false },
    plugins: [placesOfSources()],
  });
  const { output } = await bundle.generate({
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  });
  const chunks = output.filter((file) => file.type === 'chunk');
  const folder = join(FOLDER, hashOf(chunks));
  if (!existsSync(folder)) write(chunks, folder);
  // What was not used for the longest time is removed first.
  else utimesSync(folder, new Date(), new Date());
  removeOld();
  return folder;
}

/** Modules find their assets and packages beside their sources, as without the bundle. */
function placesOfSources(): Plugin {
  return {
    name: 'places-of-sources',
    transform: {
      filter: { code: /import\.meta\.url|\b__(?:dirname|filename)\b/ },
      handler(code, id) {
        return code
          .replaceAll(THREAD_OF_SOURCES, THREAD_OF_BUNDLE)
          .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
          .replaceAll(/\b__filename\b/g, JSON.stringify(id))
          .replaceAll(/\b__dirname\b/g, JSON.stringify(join(id, '..')));
      },
    },
  };
}

function hashOf(chunks: readonly OutputChunk[]): string {
  const sum = createHash('sha256');
  for (const { fileName, code } of chunks) sum.update(`${fileName}\n${code}\n`);
  return sum.digest('hex').slice(0, 16);
}

function write(chunks: readonly OutputChunk[], folder: string): void {
  mkdirSync(FOLDER, { recursive: true });
  const written = mkdtempSync(join(FOLDER, 'new-'));
  for (const { fileName, code } of chunks) writeFileSync(join(written, fileName), code);
  try {
    renameSync(written, folder);
  } catch (error) {
    rmSync(written, { recursive: true });
    // Another run has written the same.
    if (!existsSync(folder)) throw error;
  }
}

function removeOld(): void {
  const newestFirst = readdirSync(FOLDER)
    .map((name) => join(FOLDER, name))
    // Another run may have renamed or removed one meanwhile.
    .map((folder) => ({
      folder,
      usedAt: statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0,
    }))
    .toSorted((one, other) => other.usedAt - one.usedAt);
  for (const { folder } of newestFirst.slice(MOST_BUNDLES)) {
    rmSync(folder, { recursive: true, force: true });
  }
}
