import { join } from 'node:path';
import { mainProfileIn, timesOf, type CallFrame, type CpuProfile } from './cpu-profile.ts';
import { inNewFolder } from '../servers/data-folder.ts';
import { ServerProcess } from '../servers/server-process.ts';

/** How the main thread spent its time, in milliseconds. */
export interface StartPart {
  readonly part: string;
  readonly milliseconds: number;
}

const LISTED = 10;

/** Profiled by V8 from the first instruction to the first answer, after which the process ends. */
export function profileStart(): Promise<StartPart[]> {
  return inNewFolder(async (folder) => {
    const profiles = join(folder, 'profiles');
    const server = await ServerProcess.profiled(join(folder, 'data'), profiles);
    await server.stop();
    return partsOf(mainProfileIn(profiles));
  });
}

export function partsOf(profile: CpuProfile): StartPart[] {
  const microseconds = timesOf(profile, partOf);
  microseconds.delete('(idle)');
  return [...microseconds]
    .map(([part, spent]) => ({ part, milliseconds: spent / 1000 }))
    .toSorted((one, other) => other.milliseconds - one.milliseconds)
    .slice(0, LISTED);
}

function partOf({ functionName, url }: CallFrame): string {
  const [, library] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? [];
  if (library !== undefined) return library;
  const [, own] = /\/((?:service|simulator|pages|schema)\/(?:src\/[^/]+)?)/.exec(url) ?? [];
  if (own !== undefined) return own;
  if (url.startsWith('node:')) return `Node: ${url.slice(5).split('/').slice(0, 3).join('/')}`;
  return functionName === '' ? '(program)' : functionName;
}
