import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { vi } from 'vitest';
import type { CallsOf } from './calls.ts';

/** The documents of a service become clients, as an application would have them made. */

export const GENERATORS = ['openapi-typescript', 'hey-api', 'orval'] as const;
type Generator = (typeof GENERATORS)[number];

const FOLDER = join(import.meta.dirname, '..');
const MADE = join(FOLDER, '.made');
const ROOT = join(FOLDER, '..');

interface Ended {
  readonly isDone: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

function runNode(cwd: string, args: readonly string[], settings = {}): Promise<Ended> {
  const env = { ...process.env, ...settings };
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd, env }, (error, stdout, stderr) =>
      resolve({ isDone: error === null, stdout, stderr }),
    );
  });
}

/** @throws with what the program has printed */
async function run(cwd: string, ...args: readonly string[]): Promise<void> {
  const { isDone, stdout, stderr } = await runNode(cwd, args);
  if (!isDone) throw new Error(`${args.join(' ')}\n${stdout}${stderr}`);
}

const bin = (path: string) => join(FOLDER, 'node_modules', path);

/** Writes the documents that a service serves. @returns their folder, of which nothing else is left */
export async function takeDocuments(name: string, origin: string): Promise<string> {
  const folder = join(MADE, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await take(`${origin}/openapi.json`, join(folder, 'service.json'));
  await take(`${origin}/simulator/openapi.json`, join(folder, 'simulator.json'));
  return folder;
}

async function take(address: string, file: string): Promise<void> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address} is answered ${answer.status}`);
  writeFileSync(file, await answer.text());
}

/** @returns the errors and the warnings of the linter */
export async function lint(folder: string, document: string): Promise<readonly object[]> {
  const file = bin('@redocly/cli/bin/cli.js');
  const args = ['lint', '--config', join(FOLDER, 'redocly.yaml'), '--format', 'json', document];
  // Neither use is counted anywhere, nor a newer version looked for.
  const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { stdout } = await runNode(folder, [file, ...args], quiet);
  return (JSON.parse(stdout) as { problems: readonly object[] }).problems;
}

const DOCUMENTS = ['service', 'simulator'] as const;

/** Generates each client twice, of both documents, beside the file that calls it. */
export async function generate(folder: string, origin: string): Promise<void> {
  for (const name of GENERATORS) {
    cpSync(join(FOLDER, 'clients', `${name}.ts`), join(folder, name, 'client.ts'));
    cpSync(join(FOLDER, 'clients/given.ts'), join(folder, name, 'given.ts'));
  }
  cpSync(join(FOLDER, 'test/calls.ts'), join(folder, 'test/calls.ts'));
  writeConfig(folder, 'orval', {
    service: orval('service', origin),
    simulator: orval('simulator', origin),
  });
  writeConfig(folder, 'hey-api', DOCUMENTS.map(heyApi));
  await Promise.all([
    run(folder, bin('orval/dist/bin/orval.mjs'), '--config', 'orval.config.mjs'),
    run(folder, bin('@hey-api/openapi-ts/bin/run.js'), '--file', 'hey-api.config.mjs'),
    ...DOCUMENTS.map((name) =>
      run(
        folder,
        bin('openapi-typescript/bin/cli.js'),
        `${name}.json`,
        '--output',
        `openapi-typescript/${name}.ts`,
      ),
    ),
  ]);
}

function writeConfig(folder: string, name: string, config: object): void {
  const text = `export default ${JSON.stringify(config)};\n`;
  writeFileSync(join(folder, `${name}.config.mjs`), text);
}

const orval = (name: string, baseUrl: string) => ({
  input: { target: `${name}.json` },
  output: { target: `orval/${name}.ts`, client: 'fetch', headers: true, baseUrl },
});

/** With a check of each request and answer, as docs/api.md says. */
const heyApi = (name: string) => ({
  input: `${name}.json`,
  output: `hey-api/${name}`,
  logs: { file: false },
  plugins: [
    '@hey-api/client-fetch',
    { name: '@hey-api/sdk', validator: true },
    { name: 'zod', dates: { offset: true } },
  ],
});

/** Whether the generated clients and their callers agree, for the compiler. @throws with its errors */
export async function checkTypes(folder: string): Promise<void> {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: 'esnext',
    lib: ['esnext', 'dom', 'dom.iterable'],
    module: 'esnext',
    moduleResolution: 'bundler',
    allowImportingTsExtensions: true,
    types: [],
  };
  const project = join(folder, 'tsconfig.json');
  writeFileSync(project, JSON.stringify({ compilerOptions, include: ['**/*.ts'] }));
  await run(folder, join(ROOT, 'node_modules/typescript/bin/tsc'), '--project', project);
}

export async function generated(folder: string, name: Generator): Promise<CallsOf> {
  const made = await vi.importActual<{ callsOf: CallsOf }>(join(folder, name, 'client.ts'));
  return made.callsOf;
}
