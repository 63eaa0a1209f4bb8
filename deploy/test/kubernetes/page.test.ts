import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root, run } from '../../../scripts/run.mjs';
import { MANIFESTS, podTemplates, readManifests } from '../support/kubernetes/manifests.ts';

/** The commands of docs/containers.md for whoever has the YAML of a release alone. */

const IMAGE = 'registry.example.org/miftah:1.0.0';

it('the commands of the page write an image and a name into the YAML of a release', async () => {
  const page = readFileSync(join(root, 'docs', 'containers.md'), 'utf8');
  const commands = page.split('\n').filter((line) => line.startsWith('sed -i '));
  const folder = mkdtempSync(join(tmpdir(), 'miftah-manifests-'));
  try {
    const manifests = join(folder, 'manifests');
    cpSync(MANIFESTS, manifests, { recursive: true });
    const { code, output } = await run('sh', ['-ec', `cd ${folder}\n${commands.join('\n')}`]);
    expect(code, output).toBe(0);
    const images = [...podTemplates(readManifests(manifests)).values()].flatMap(({ spec }) =>
      spec.containers.map(({ image }) => image),
    );
    expect(images).toEqual([IMAGE, IMAGE]);
    const texts = readdirSync(manifests).map((file) => readFileSync(join(manifests, file), 'utf8'));
    expect(texts.join('')).not.toContain('login.example.com');
    expect(texts.filter((text) => text.includes('login.example.org'))).toHaveLength(3);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
