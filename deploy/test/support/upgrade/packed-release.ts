import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SERVICE = 'lib/node_modules/miftah';

/** What is different in a release of another version: a file, a pattern in it, what it becomes. */
const changesFor = (version: string) =>
  [
    [`${SERVICE}/package.json`, /"version": "[^"]+"/, `"version": "${version}"`],
    [`${SERVICE}/dist/service/package.js`, /version = "[^"]+"/, `version = "${version}"`],
    ['share/deploy/systemd/miftah.service', /$/, `# ${version}\n`],
  ] as const;

/**
 * Packs a release under another version, which its programs, its packed file and its unit name. The
 * release itself stays as it is.
 * @param folder gets the packed file and its checksum
 */
export function packAs(version: string, release: string, folder: string): void {
  const name = `miftah-${version}-live-linux-x64`;
  const copy = join(folder, name);
  execFileSync('cp', ['-al', release, copy]);
  for (const [path, pattern, text] of changesFor(version)) {
    const content = readFileSync(join(release, path), 'utf8');
    if (!pattern.test(content)) throw new Error(`${path} of the release has another form`);
    // Not written in place: the file is also one of the release.
    rmSync(join(copy, path));
    writeFileSync(join(copy, path), content.replace(pattern, text));
  }
  const file = `${name}.tar.gz`;
  // The size does not matter here, and a better compression takes long.
  const fast = '--use-compress-program=gzip -1';
  execFileSync('tar', ['--create', fast, '--file', file, name], { cwd: folder });
  const sum = hash('sha256', readFileSync(join(folder, file)));
  writeFileSync(join(folder, `${file}.sha256`), `${sum}  ${file}\n`);
  rmSync(copy, { recursive: true });
}
