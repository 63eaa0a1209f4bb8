import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { root } from '../../../scripts/run.mjs';

/** The packages as they are published, each as a folder and as a tarball. */
export class Packed {
  readonly folder = mkdtempSync(join(tmpdir(), 'miftah-packed-'));

  constructor() {
    execFileSync(process.execPath, [join(root, 'scripts/pack.ts'), this.folder], { cwd: root });
  }

  /** @param start how the file of a package begins */
  tarballOf(start: string): string {
    const names = readdirSync(this.folder).filter((name) => name.endsWith('.tgz'));
    return join(this.folder, names.find((name) => name.startsWith(start)) ?? start);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
