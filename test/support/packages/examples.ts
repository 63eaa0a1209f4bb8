import { cpSync, mkdtempSync, readdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { findChromium } from '../../../scripts/chromium.mjs';
import { root } from '../../../scripts/run.mjs';
import { runIn, strangersEnvironment, type EmptyFolder, type Ran } from './installed.ts';

/** The examples of tests, how many tests each has, and what their packages need of this checkout. */
export const EXAMPLES = [
  { name: 'vitest', tests: /Tests\D+3 passed/, library: 'vitest' },
  { name: 'node-test', tests: /pass 5\n/, library: null },
  { name: 'playwright', tests: /pass 2\n/, library: 'playwright-core' },
  { name: 'python', tests: /3 passed|Ran 3 tests[^]*\nOK/, library: null },
] as const;

type Example = (typeof EXAMPLES)[number];

/**
 * Runs the tests of examples/testing as somebody has them who has copied the folder and installed
 * the packages. @returns also what they have written beside the sources, and to the temporary folder
 */
export async function runExample(
  folder: EmptyFolder,
  { name, library }: Example,
  node: string,
): Promise<Ran & { readonly left: readonly string[] }> {
  const own = mkdtempSync(join(folder.path, `${name}-`));
  const temporary = mkdtempSync(join(folder.path, 'temporary-'));
  cpSync(join(root, 'examples', 'testing', name), own, { recursive: true });
  const before = readdirSync(own);
  // The libraries of tests are those of this checkout; of Miftah they have the tarballs alone.
  if (library !== null) folder.link(library, join(root, 'node_modules'));
  const [program, ...args] = await commandOf(name, node);
  const path = [dirname(node), strangersEnvironment()['PATH'] ?? ''].join(delimiter);
  const settings = { PATH: path, TMPDIR: temporary, NO_COLOR: '1', ...settingsOf(name) };
  const ran = await runIn(own, program, args, settings);
  const left = [...readdirSync(own), ...readdirSync(temporary)].filter(
    (file) => !before.includes(file) && !OF_TOOLS.has(file),
  );
  return { ...ran, left };
}

/** What vitest, pytest and npm keep. */
const OF_TOOLS: ReadonlySet<string> = new Set([
  'node_modules',
  '.benchmarks',
  'node-compile-cache',
]);

async function commandOf(name: Example['name'], node: string): Promise<[string, ...string[]]> {
  if (name === 'vitest') return [node, '../node_modules/vitest/vitest.mjs', 'run'];
  if (name !== 'python') return [node, '--test'];
  const { code } = await runIn(root, 'python3', ['-m', 'pytest', '--version']);
  return ['python3', '-B', '-m', ...(code === 0 ? PYTEST : ['unittest'])];
}

const PYTEST = ['pytest', '-q', '-p', 'no:cacheprovider'];

function settingsOf(name: Example['name']): NodeJS.ProcessEnv {
  const chromium = findChromium();
  return name === 'playwright' && chromium !== undefined ? { CHROMIUM_PATH: chromium } : {};
}
