import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ownPackages } from '../../../scripts/own-packages.mjs';
import { root, run } from '../../../scripts/run.mjs';
import { CLIENTS } from '../../../service/test/support/live/rehearsal.ts';
import { runMiftahProgram } from '../../../service/test/support/programs/operator.ts';
import {
  manifest,
  podTemplates,
  readManifests,
  type Manifest,
} from '../support/kubernetes/manifests.ts';

/** The manifests fit Kubernetes by its own types and schemas, the service, and each other. */

const INSTALL_TIMEOUT_MS = 600_000;
const TYPESCRIPT = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const OPTIONS = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--pretty', 'false'];
const OF_KUBERNETES = 'deploy/test/kubernetes';

let folder = '';

beforeAll(async () => {
  await ownPackages({
    folder: OF_KUBERNETES,
    getting: 'getting the types of Kubernetes',
    help: 'npm ci failed in deploy/test/kubernetes.',
  }).provide();
  folder = mkdtempSync(join(tmpdir(), 'miftah-manifests-'));
  symlinkSync(join(root, OF_KUBERNETES, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
}, INSTALL_TIMEOUT_MS);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A program with a line for each resource, which compiles when Kubernetes knows all its fields. */
function writeProgram(name: string, resources: readonly Manifest[]): string {
  const kinds = new Map(
    resources.map(({ kind, apiVersion }) => [kind, `kubernetes-models/${apiVersion}/${kind}`]),
  );
  const imports = [...kinds].map(
    ([kind, from]) => `import { ${kind}, type I${kind} } from '${from}';`,
  );
  const lines = resources.map((one, index) => {
    const whole = `const one${index} = ${JSON.stringify(one)} satisfies I${one.kind};`;
    return `${whole} new ${one.kind}(one${index}).validate();`;
  });
  const file = join(folder, name);
  writeFileSync(file, [imports.join(' '), ...lines].join('\n'));
  return file;
}

const compile = (file: string) =>
  run(process.execPath, [TYPESCRIPT, ...OPTIONS, '--module', 'nodenext', file]);

/** Copies of a value, each with a field more in one of its objects. */
function* withUnknownField(value: unknown): Generator<object> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield { ...value, ofNobody: 1 };
  for (const [key, part] of Object.entries(value)) {
    for (const copy of withUnknownField(part)) {
      yield Array.isArray(value) ? value.with(Number(key), copy) : { ...value, [key]: copy };
    }
  }
}

/** Amounts of resources have whatever names a cluster gives them. */
const OF_AMOUNTS = /"(?:limits|requests)":\{[^}]*ofNobody/;

describe('Kubernetes', () => {
  it('knows every field, and takes every value', async () => {
    const file = writeProgram('whole.ts', readManifests());
    expect(await compile(file)).toEqual({ code: 0, output: '' });
    expect(await run(process.execPath, [file])).toEqual({ code: 0, output: '' });
  });

  it('would refuse a field more in any object of them', async () => {
    const spoilt = readManifests()
      .flatMap((one) => [...withUnknownField(one)] as Manifest[])
      .filter((one) => !OF_AMOUNTS.test(JSON.stringify(one)));
    const { output } = await compile(writeProgram('spoilt.ts', spoilt));
    const refused = new Set(
      [...output.matchAll(/spoilt\.ts\((\d+),/g)].map(([, line]) => Number(line)),
    );
    expect(spoilt.filter((_, index) => !refused.has(index + 2))).toEqual([]);
  });
});

/** Secrets and clients are there, as the volumes of the pod have them. */
function writeFiles(settings: Readonly<Record<string, string>>): Record<string, string> {
  const files = mkdtempSync(join(tmpdir(), 'miftah-settings-'));
  onTestFinished(() => rmSync(files, { recursive: true }));
  const values: Record<string, string> = {
    SECRET_KEY_FILE: 'ab'.repeat(32),
    DATABASE_URL_FILE: 'postgres://miftah@db.example/miftah?sslmode=verify-full',
    CLIENTS_FILE: JSON.stringify([CLIENTS.bank]),
  };
  const named = Object.keys(settings).filter((name) => name.endsWith('_FILE'));
  const paths = named.map((name) => {
    const path = join(files, name);
    writeFileSync(path, values[name] ?? `${name}-of-a-test`, { mode: 0o600 });
    return [name, path] as const;
  });
  return Object.fromEntries(paths);
}

describe('the service', () => {
  const settings = manifest('ConfigMap', 'miftah-settings').data ?? {};

  it('takes every setting, with the secrets from files', async () => {
    const environment = { ...settings, ...writeFiles(settings), DATA_DIR: folder };
    const { code, out, err } = await runMiftahProgram(['start', '--show-config'], environment);
    expect([code, err]).toEqual([0, '']);
    const named = Object.keys(settings).filter((name) => name !== 'NODE_ENV');
    for (const name of named) expect(out).toMatch(new RegExp(`^${name}=`, 'm'));
    expect(out).not.toMatch(/of-a-test|abab/);
  });

  it('is asked at the ports and with the name that the settings have', () => {
    const all = readManifests();
    const ports = podTemplates(all).get('Deployment miftah')?.spec.containers[0]?.ports;
    const [http, metrics] = ports?.map(({ containerPort }) => String(containerPort)) ?? [];
    expect([http, metrics]).toEqual([settings['PORT'], settings['METRICS_PORT']]);
    const host = new URL(settings['PUBLIC_URL'] ?? '').hostname;
    const texts = JSON.stringify(all);
    const probed = [...texts.matchAll(/"name":"Host","value":"([^"]+)"/g)].map(([, name]) => name);
    expect(probed).toEqual([host, host, host]);
    expect(JSON.stringify(manifest('Ingress', 'miftah', all))).toContain(`"host":"${host}"`);
  });

  it('and its migration are of one image', () => {
    const images = [...podTemplates().values()].map(({ spec }) => spec.containers[0]?.image);
    expect(new Set(images).size).toBe(1);
  });
});
