import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root, run } from '../../../scripts/run.mjs';
import { installPackages, KUBERNETES, sourceFiles } from '../support/kubernetes/packages.ts';

/** The manifests for Kubernetes: their sources are typed, and what is committed is what they make. */

const INSTALL_TIMEOUT_MS = 120_000;
const TYPESCRIPT = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

/** In the project's cache, so that the settings that these sources extend are two folders up. */
let copy = '';

beforeAll(async () => {
  await installPackages();
  mkdirSync(join(root, '.cache'), { recursive: true });
  copy = mkdtempSync(join(root, '.cache', 'kubernetes-'));
  for (const file of sourceFiles()) copyFileSync(join(KUBERNETES, file), join(copy, file));
  symlinkSync(join(KUBERNETES, 'node_modules'), join(copy, 'node_modules'));
}, INSTALL_TIMEOUT_MS);

afterAll(() => {
  if (copy !== '') rmSync(copy, { recursive: true, force: true });
});

function checkTypes(folder: string) {
  return run(process.execPath, [TYPESCRIPT, '--project', join(folder, 'tsconfig.json')]);
}

function read(...path: string[]): string {
  return readFileSync(join(...path), 'utf8');
}

/** Fields that Kubernetes does not know, each in an object of another kind. */
const UNKNOWN = [
  { file: 'deployment.ts', after: 'failureThreshold: 60,', field: 'failures: 60,' },
  { file: 'deployment.ts', after: "httpGet: get('/readyz'),", field: "path: '/readyz'," },
  { file: 'deployment.ts', after: "type: 'RollingUpdate',", field: "kind: 'RollingUpdate'," },
  { file: 'pod.ts', after: 'readOnlyRootFilesystem: true,', field: 'readOnlyRoot: true,' },
  { file: 'pod.ts', after: 'enableServiceLinks: false,', field: 'serviceLinks: false,' },
  { file: 'reach.ts', after: 'spec: { maxUnavailable: 1,', field: 'unavailable: 1,' },
  { file: 'reach.ts', after: "clusterIP: 'None',", field: "clusterIp: 'None'," },
  { file: 'reach.ts', after: "pathType: 'Prefix',", field: "type: 'Prefix'," },
  { file: 'migration.ts', after: 'backoffLimit: 3,', field: 'retries: 3,' },
  { file: 'settings.ts', after: "kind: 'ConfigMap',", field: 'values: {},' },
] as const;

describe('the sources of the manifests', () => {
  it('compile, and make what is committed', async () => {
    expect(await checkTypes(KUBERNETES)).toEqual({ code: 0, output: '' });
    const made = join(copy, 'manifests');
    const { code, output } = await run(process.execPath, [join(KUBERNETES, 'emit.ts'), made]);
    expect(output).toBe('');
    expect(code).toBe(0);
    const committed = join(KUBERNETES, 'manifests');
    expect(readdirSync(committed)).toEqual(readdirSync(made));
    for (const file of readdirSync(made)) expect(read(committed, file)).toBe(read(made, file));
  });

  it('do not compile with a field that Kubernetes does not know', async () => {
    for (const { file, after, field } of UNKNOWN) {
      const text = read(copy, file);
      expect(text.split(after)).toHaveLength(2);
      writeFileSync(join(copy, file), text.replace(after, `${after} ${field}`));
    }
    const { code, output } = await checkTypes(copy);
    expect(code).not.toBe(0);
    for (const { field } of UNKNOWN) {
      const name = field.slice(0, field.indexOf(':'));
      expect(output).toContain(`'${name}' does not exist in type`);
    }
  });
});
