import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { pinnedNode } from '../../../scripts/release/node.ts';
import { root } from '../../../scripts/run.mjs';
import { builtRelease, BUILD_LIMIT_MS } from '../support/release/built-release.ts';
import { packagesIn } from '../support/release/libraries.ts';

/** The software bill of materials of a release. */

beforeAll(async () => {
  await builtRelease('full');
  await builtRelease('live');
}, BUILD_LIMIT_MS);

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses?: readonly unknown[];
}

interface Bill {
  readonly bomFormat: string;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

async function textOf(kind: 'full' | 'live'): Promise<string> {
  return readFileSync(join(await builtRelease(kind), 'sbom.cdx.json'), 'utf8');
}

const billOf = async (kind: 'full' | 'live') => JSON.parse(await textOf(kind)) as Bill;

test.each(['full', 'live'] as const)('lists what the release (%s) has, and Node', async (kind) => {
  const { metadata, components } = await billOf(kind);
  const listed = [metadata.component, ...components].map((one) => one['bom-ref']);
  const installed = packagesIn(await builtRelease(kind)).map((one) => `${one.name}@${one.version}`);
  const all = [...new Set([...installed, `node@${pinnedNode().version}`])];
  expect(listed.toSorted()).toEqual(all.toSorted());
});

test('has a licence and an address of the package for each', async () => {
  const { bomFormat, metadata, components } = await billOf('full');
  expect(bomFormat).toBe('CycloneDX');
  for (const one of [metadata.component, ...components]) {
    expect(one.purl).toMatch(/^pkg:(?:npm|generic)\/[\w.%/-]+@[\d.]+/);
    expect([one.name, one.licenses?.length]).toEqual([one.name, 1]);
  }
});

test('says who needs whom, and names nothing that is not listed', async () => {
  const { metadata, components, dependencies } = await billOf('live');
  const listed = new Set([metadata.component, ...components].map((one) => one['bom-ref']));
  expect(new Set(dependencies.map(({ ref }) => ref))).toEqual(listed);
  const named = dependencies.flatMap(({ dependsOn }) => dependsOn);
  expect(named.filter((ref) => !listed.has(ref))).toEqual([]);
  const unneeded = [...listed].filter((ref) => !named.includes(ref));
  expect(unneeded).toEqual([metadata.component['bom-ref']]);
});

test('has no time, no random number and no place of the machine', async () => {
  const text = await textOf('full');
  expect(text).not.toContain(tmpdir());
  expect(text).not.toContain(root);
  expect(text).not.toMatch(/timestamp|serialNumber|https?:(?!\/\/cyclonedx\.org\/schema)|file:/);
});
