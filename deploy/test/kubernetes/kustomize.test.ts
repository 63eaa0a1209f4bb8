import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { hasTools } from '../../../scripts/debian.mjs';
import { root } from '../../../scripts/run.mjs';
import { temporaryFolder } from '../../../service/test/support/at-end.ts';
import { emptyCluster, kubectl } from '../support/kubernetes/cluster.ts';
import {
  MANIFESTS,
  podTemplates,
  readManifests,
  type Manifest,
} from '../support/kubernetes/manifests.ts';

/** The base for kustomize, as kubectl reads it, and the overlay and commands of docs/containers.md. */

const isHere = hasTools('kubernetes');
const [, SECTION = ''] = readFileSync(join(root, 'docs/containers.md'), 'utf8').split(
  '### With kustomize\n',
);

const nameOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`;

const sorted = (all: readonly Manifest[]) =>
  all.toSorted((one, other) => nameOf(one).localeCompare(nameOf(other)));

const resourcesIn = (text: string) => parseAllDocuments(text).map((one) => one.toJS() as Manifest);

/** The kubectl of Debian 12 knows a folder as a base alone, which later ones call a resource. */
async function overlayOfPage(): Promise<string> {
  const [, yaml = ''] = /```yaml\n([\s\S]*?)```/.exec(SECTION) ?? [];
  const [, minor] = /Minor:"(\d+)|v1\.(\d+)/.exec(await kubectl(['version', '--client'])) ?? [];
  const isOld = Number(minor) < 21;
  const folder = temporaryFolder('kustomize');
  cpSync(MANIFESTS, join(folder, 'manifests'), { recursive: true });
  mkdirSync(join(folder, 'login'));
  const text = isOld ? yaml.replace('resources:', 'bases:') : yaml;
  writeFileSync(join(folder, 'login', 'kustomization.yaml'), text);
  return join(folder, 'login');
}

test('the base has every resource of the manifests, as it is', async () => {
  if (!isHere) return;
  const made = resourcesIn(await kubectl(['kustomize', MANIFESTS]));
  expect(sorted(made)).toEqual(sorted(readManifests()));
});

test('the overlay of the page gives both pods the image', async () => {
  if (!isHere) return;
  const made = resourcesIn(await kubectl(['kustomize', await overlayOfPage()]));
  const images = [...podTemplates(made).values()].map(({ spec }) => spec.containers[0]?.image);
  expect(images).toEqual(Array(2).fill('registry.example.org/miftah:1.0.0'));
});

test('the commands of the page apply what the migration needs first, and then all', async () => {
  if (!isHere) return;
  const cluster = await emptyCluster();
  const login = await overlayOfPage();
  const commands = [...SECTION.matchAll(/^kubectl apply -k login(.*)$/gm)];
  expect(commands).toHaveLength(2);
  const applied = [];
  for (const [, selector = ''] of commands) {
    const flags = selector
      .split(' ')
      .filter(Boolean)
      .map((flag) => flag.replaceAll("'", ''));
    const dry = ['--dry-run=client', '--validate=false', '-o', 'name'];
    const said = await kubectl(['--server', cluster, 'apply', '-k', login, ...flags, ...dry]);
    applied.push(
      said
        .split('\n')
        .filter((line) => line.includes('/'))
        .toSorted(),
    );
  }
  const [first, second] = applied;
  expect(first).toEqual([
    'configmap/miftah-settings',
    'job.batch/miftah-migrate',
    'networkpolicy.networking.k8s.io/miftah-migrate',
    'serviceaccount/miftah',
  ]);
  expect(second).toHaveLength(readManifests().length);
});
