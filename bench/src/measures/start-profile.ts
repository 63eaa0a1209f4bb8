import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inNewFolder } from '../servers/data-folder.ts';
import { ServerProcess } from '../servers/server-process.ts';

/** How the main thread spent its time, in milliseconds. */
export interface StartPart {
  readonly part: string;
  readonly milliseconds: number;
}

interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
  }[];
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}

const LISTED = 10;

/** Profiled by V8 from the first instruction to the first answer, after which the process ends. */
export function profileStart(): Promise<StartPart[]> {
  return inNewFolder(async (folder) => {
    const profiles = join(folder, 'profiles');
    const server = await ServerProcess.profiled(join(folder, 'data'), profiles);
    await server.stop();
    const largest = readdirSync(profiles)
      .map((name) => readFileSync(join(profiles, name), 'utf8'))
      .toSorted((one, other) => other.length - one.length)[0];
    const profile: unknown = JSON.parse(largest ?? '{}');
    if (!isProfile(profile)) throw new Error('V8 has written no profile of the start');
    return partsOf(profile);
  });
}

function isProfile(value: unknown): value is Profile {
  return typeof value === 'object' && value !== null && 'timeDeltas' in value;
}

export function partsOf({ nodes, samples, timeDeltas }: Profile): StartPart[] {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, partOf(callFrame)]));
  const microseconds = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const name = names.get(id) ?? 'unknown';
    microseconds.set(name, (microseconds.get(name) ?? 0) + (timeDeltas[index] ?? 0));
  }
  microseconds.delete('(idle)');
  return [...microseconds]
    .map(([part, spent]) => ({ part, milliseconds: spent / 1000 }))
    .toSorted((one, other) => other.milliseconds - one.milliseconds)
    .slice(0, LISTED);
}

function partOf({ functionName, url }: Profile['nodes'][number]['callFrame']): string {
  const [, library] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? [];
  if (library !== undefined) return library;
  const [, own] = /\/((?:service|simulator|pages|schema)\/(?:src\/[^/]+)?)/.exec(url) ?? [];
  if (own !== undefined) return own;
  if (url.startsWith('node:')) return `Node: ${url.slice(5).split('/').slice(0, 3).join('/')}`;
  return functionName === '' ? '(program)' : functionName;
}
