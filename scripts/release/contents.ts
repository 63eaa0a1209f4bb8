import { cpSync, existsSync, globSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '../run.mjs';

const FOLDERS = ['bin', 'docs', 'lib', 'share'];
/** The software bill of materials. */
export const BILL = 'sbom.cdx.json';
/** The files at the top of a release that are copies, and their places in the repository. */
const COPIES: Readonly<Record<string, string>> = {
  'README.md': 'scripts/release/README.md',
  'CHANGELOG.md': 'CHANGELOG.md',
  LICENSE: 'LICENSE',
};
/** The parts of `deploy/` that come with a release, by their place in `share/deploy/`. */
const KIT: Readonly<Record<string, string>> = {
  systemd: 'systemd',
  proxy: 'proxy',
  rsyslog: 'rsyslog',
  prometheus: 'prometheus',
  grafana: 'grafana',
  'kubernetes/manifests': 'kubernetes/manifests',
  'compose.yaml': 'image/compose.yaml',
};
const CONTENTS = new Set([...FOLDERS, BILL, ...Object.keys(COPIES)]);

export function copyTexts(to: string): void {
  for (const [name, from] of Object.entries(COPIES)) cpSync(join(root, from), join(to, name));
  // The messages of the programs name them.
  mkdirSync(join(to, 'docs'));
  for (const page of globSync('*.md', { cwd: join(root, 'docs') })) {
    cpSync(join(root, 'docs', page), join(to, 'docs', page));
  }
}

/**
 * @param deploy the folder with the sources of the kit
 * @throws Error when it lacks a part
 */
export function copyKit(deploy: string, to: string): void {
  for (const [part, from] of Object.entries(KIT)) {
    cpSync(join(deploy, from), join(to, part), { recursive: true });
  }
}

/** @throws Error for a folder with anything but a release, which stays as it is */
export function requireFree(folder: string): void {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  if (names.length === 0) return;
  // Other folders have `bin`, `lib` and `share` too; a bill of materials is in a release alone.
  if (names.includes(BILL) && names.every((name) => CONTENTS.has(name))) return;
  throw new Error(
    `${folder} is not empty, and what it has is not a release: name a new or an empty folder, ` +
      `or delete ${basename(folder)} first.`,
  );
}
