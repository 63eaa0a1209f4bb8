import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceFolder } from '../../../../service/test/support/canaries/run-folder.ts';
import type { Engine } from './engine.ts';

/** Keeps what a container has said for the search at the end of the run, which needs the whole. */
export async function keepLog(engine: Engine, container: string): Promise<void> {
  const { code, output } = await engine.podman('logs', container);
  if (code === 0) writeFileSync(join(serviceFolder('container'), 'all.log'), output);
}
