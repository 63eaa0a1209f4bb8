import type { Engine } from './engine.ts';

const NODE = '/opt/miftah/bin/node';
const PLACES = ['/opt/miftah/x', '/run/x', '/etc/passwd'];

/** Runs in the container, and tells what its first process has and what it may write. */
const PROGRAM = `const { readFileSync, writeFileSync } = require('node:fs');
const status = readFileSync('/proc/1/status', 'utf8');
const limits = readFileSync('/proc/1/limits', 'utf8');
const field = (name) => new RegExp('^' + name + ':\\\\s+(\\\\w+)', 'm').exec(status)[1];
const limit = (name) => new RegExp('^Max ' + name + '\\\\s+(\\\\d+)\\\\s+(\\\\d+)', 'm').exec(limits);
const written = (path) => {
  try { writeFileSync(path, ''); return 'written'; } catch ({ code }) { return code; }
};
console.log(JSON.stringify({
  ids: field('Uid') + ':' + field('Gid'),
  capabilities: ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'].map(field),
  noNewPrivileges: field('NoNewPrivs'),
  openFiles: limit('open files').slice(1),
  coreBytes: limit('core file size').slice(1),
  refused: ${JSON.stringify(PLACES)}.map(written),
}));`;

const NO_CAPABILITY = '0'.repeat(16);

/** What docs/containers.md gives to a container of the service, as its own process sees it. */
export const RIGHTS = {
  ids: '10001:10001',
  capabilities: Array.from({ length: 5 }, () => NO_CAPABILITY),
  noNewPrivileges: '1',
  openFiles: ['16384', '16384'],
  coreBytes: ['0', '0'],
  refused: PLACES.map(() => 'EROFS'),
} as const;

/** What a container with the image of the service has. */
export async function rightsOf(engine: Engine, container: string): Promise<unknown> {
  return JSON.parse(await engine.expectPodman('exec', container, NODE, '-e', PROGRAM)) as unknown;
}
