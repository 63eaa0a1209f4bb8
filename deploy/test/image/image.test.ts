import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasTools } from '../../../scripts/debian.mjs';
import { builtImage } from '../support/image/built-image.ts';
import { sharedEngine, type Engine } from '../support/image/engine.ts';

/** The image as it is built: what it has, and what it does not have. */

const BUILD_TIMEOUT_MS = 900_000;
const MOST_BYTES = 170e6;
const USER_ID = 10001;

interface Inspected {
  readonly Size: number;
  readonly User: string;
  readonly ManifestType: string;
  readonly Config: {
    readonly StopSignal: string;
    readonly Volumes: object;
    readonly Cmd: readonly string[];
    readonly Env: readonly string[];
  };
  readonly Healthcheck: { readonly Test: readonly string[] };
  readonly History: readonly { readonly created_by: string }[];
}

function isOwned(path: string): boolean {
  return statSync(path).uid === USER_ID;
}

const isHere = hasTools('image');

describe('the image', () => {
  let engine: Engine;
  let image: string;
  let inspected: Inspected;
  let files: readonly string[] = [];
  let owned: readonly string[] = [];

  beforeAll(async () => {
    if (!isHere) return;
    engine = sharedEngine();
    image = await builtImage(engine);
    [inspected] = JSON.parse(await engine.expectPodman('image', 'inspect', image)) as [Inspected];
    const root = await engine.expectPodman('image', 'mount', image);
    files = readdirSync(root, { recursive: true }).map(String);
    owned = files.filter((file) => existsSync(join(root, file)) && isOwned(join(root, file)));
    await engine.expectPodman('image', 'umount', image);
  }, BUILD_TIMEOUT_MS);

  it('is under 170 MB', () => {
    if (!isHere) return;
    console.log(`the image has ${(inspected.Size / 1e6).toFixed(1)} MB`);
    expect(inspected.Size).toBeLessThan(MOST_BYTES);
  });

  it('is in the format that keeps the health check, and runs as a user by number', () => {
    if (!isHere) return;
    expect(inspected.ManifestType).toContain('docker');
    expect(inspected.Healthcheck.Test[0]).toBe('CMD');
    expect(inspected.User).toBe('10001:10001');
    expect(inspected.Config.StopSignal).toMatch(/^(?:SIGTERM|15)$/);
    expect(Object.keys(inspected.Config.Volumes)).toEqual(['/var/lib/miftah']);
    expect(inspected.Config.Cmd).toEqual(['start']);
  });

  it('has no shell, no package manager, and nothing of a build', () => {
    if (!isHere) return;
    const programs = files.filter((file) =>
      /(?:^|bin\/)(?:sh|bash|npm|npx|apt-get|dpkg)$/.test(file),
    );
    expect(programs).toEqual([]);
    const caches = files.filter((file) => /(?:^|\/)(?:\.npm|\.cache|\.git|cache|src)$/.test(file));
    expect(caches.filter((file) => !file.startsWith('opt/miftah/lib/node_modules/'))).toEqual([]);
    expect(files.filter((file) => file.endsWith('.test.ts'))).toEqual([]);
  });

  it('gives its user two folders and nothing else to write', () => {
    if (!isHere) return;
    expect(owned).toEqual(['var/lib/miftah', 'var/lib/miftah-head']);
  });

  it('names its libraries for those who look for known faults', () => {
    if (!isHere) return;
    const records = files.filter((file) => file.startsWith('var/lib/dpkg/status.d/'));
    expect(records.map((file) => file.split('/').at(-1))).toEqual(
      expect.arrayContaining(['ca-certificates', 'libc6', 'libgcc-s1', 'libstdc++6']),
    );
    expect(files).toContain('opt/miftah/sbom.cdx.json');
  });

  it('says nothing secret in its history', () => {
    if (!isHere) return;
    const told = JSON.stringify([inspected.History, inspected.Config.Env]);
    expect(told).not.toMatch(/SECRET|APP_KEY|APP_ID|DATABASE_URL|TOKEN/);
  });
});
