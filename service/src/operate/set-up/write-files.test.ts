import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { obstacles, untrustedFolders, writePlan, type Plan } from './write-files.ts';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-set-up-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function planIn(root: string): Plan {
  const dir = join(root, 'etc', 'miftah');
  const names = ['secrets/secret-key', 'clients.json', 'miftah.env'];
  return {
    dir,
    secrets: join(dir, 'secrets'),
    data: [join(dir, 'data'), join(root, 'var', 'lib', 'head')],
    files: names.map((name) => ({ path: join(dir, name), text: `of ${name}\n` })),
  };
}

/** All that is below a folder, with the modes. */
function treeOf(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((path) => `${path} ${(statSync(join(root, path)).mode & 0o777).toString(8)}`)
    .toSorted();
}

const WHOLE = [
  'etc/miftah 700',
  'etc/miftah/clients.json 600',
  'etc/miftah/data 700',
  'etc/miftah/miftah.env 600',
  'etc/miftah/secrets 700',
  'etc/miftah/secrets/secret-key 600',
  'var/lib/head 700',
];

const STARTS: readonly (readonly [string, (root: string) => void])[] = [
  ['an empty disk', () => undefined],
  [
    'the folder of the settings',
    (root) => mkdirSync(join(root, 'etc', 'miftah'), { recursive: true, mode: 0o700 }),
  ],
];

describe.each(STARTS)('with %s', (_, prepare) => {
  function prepared(): string {
    const root = temporaryFolder();
    prepare(root);
    return root;
  }

  it('everything gets its place, mode and content', () => {
    const root = prepared();
    writePlan(planIn(root));
    // Folders above have the modes that the umask of this machine leaves.
    const planned = treeOf(root).filter((line) => !/^(?:etc|var|var\/lib) /.test(line));
    expect(planned).toEqual(WHOLE);
    const key = join(root, 'etc', 'miftah', 'secrets', 'secret-key');
    expect(readFileSync(key, 'utf8')).toBe('of secrets/secret-key\n');
  });

  it('a fault at any step leaves everything as it was', () => {
    let steps = 0;
    writePlan(planIn(prepared()), () => (steps += 1));
    expect(steps).toBeGreaterThan(8);
    for (let failing = 1; failing <= steps; failing += 1) {
      const root = prepared();
      const before = treeOf(root);
      let step = 0;
      const write = () =>
        writePlan(planIn(root), (change) => {
          step += 1;
          if (step === failing) throw new Error(`no ${change}`);
        });
      expect(write, String(failing)).toThrow(/^no /);
      expect(treeOf(root), String(failing)).toEqual(before);
    }
  });

  it('a process that ends at any step leaves no settings, but what it has drafted is found', () => {
    const root = prepared();
    const plan = planIn(root);
    writePlan(plan, (change) => {
      const isLast = /remove the draft/.test(change);
      const settings = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) =>
        path.endsWith('etc/miftah/miftah.env'),
      );
      if (!isLast) expect(settings, change).toEqual([]);
      const drafts = obstacles(plan).filter((one) =>
        one.includes('an interrupted set-up has left'),
      );
      expect(drafts.length, change).toBe(/^(?:mkdir|draft)/.test(change) ? 0 : 1);
    });
    expect(obstacles(plan).join()).not.toContain('interrupted');
  });
});

it.each(['secrets/secret-key', 'clients.json', 'miftah.env'])(
  '%s that somebody makes meanwhile is not replaced, and nothing else is written',
  (name) => {
    const root = temporaryFolder();
    const path = join(root, 'etc', 'miftah', name);
    const write = () =>
      writePlan(planIn(root), (change) => {
        if (change === `link ${path}`) writeFileSync(path, 'of another process', { mode: 0o600 });
      });
    expect(write).toThrow('EEXIST');
    expect(readFileSync(path, 'utf8')).toBe('of another process');
    const files = treeOf(root).filter((line) => line.endsWith(' 600'));
    expect(files).toEqual([`etc/miftah/${name} 600`]);
  },
);

/** Only root can give a file to another user; in containers tests run as root. */
const isRoot = process.getuid?.() === 0;
const SOMEBODY = 12_345;

const attacked = (root: string, attack: (change: string) => void) => () =>
  writePlan(planIn(root), attack);

function victim(): { readonly path: string; readonly rights: () => unknown } {
  const path = temporaryFolder();
  const rights = () => {
    const { uid, gid, mode } = statSync(path);
    return { uid, gid, mode };
  };
  return { path, rights };
}

it('data may be of the user of the service, and what it reads may not', () => {
  if (!isRoot) return console.warn('LEFT OUT: only root can give a folder to somebody else');
  const plan = planIn(temporaryFolder());
  writePlan(plan);
  for (const folder of plan.data) chownSync(folder, SOMEBODY, SOMEBODY);
  expect(untrustedFolders(plan, [SOMEBODY])).toEqual([]);
  expect(untrustedFolders(plan, []).join()).toContain(`another user (${SOMEBODY})`);
  for (const folder of [plan.secrets, plan.dir]) {
    chownSync(folder, SOMEBODY, SOMEBODY);
    expect(untrustedFolders(plan, [SOMEBODY]).join()).toContain(`${folder} is a folder of another`);
  }
});

describe('what another user puts in its way meanwhile', () => {
  it('is a link in the place of a folder: its target keeps its owner and its mode', () => {
    const { path, rights } = victim();
    const before = rights();
    const write = attacked(temporaryFolder(), (change) => {
      if (/^mkdir .*data$/.test(change)) symlinkSync(path, change.slice('mkdir '.length));
    });
    expect(write).toThrow('EEXIST');
    expect(rights()).toEqual(before);
  });

  it('is a link in the place of the draft: nothing behind it is opened', () => {
    const { path, rights } = victim();
    const before = rights();
    writeFileSync(join(path, '2'), 'of somebody else');
    const root = temporaryFolder();
    const dir = join(root, 'etc', 'miftah');
    const write = attacked(root, (change) => {
      if (!/^write .*miftah\.env$/.test(change)) return;
      const draft = readdirSync(dir).find((name) => name.startsWith('.miftah-init-')) ?? '';
      renameSync(join(dir, draft), join(path, 'the-draft'));
      symlinkSync(path, join(dir, draft));
    });
    expect(write).toThrow('EEXIST');
    expect(readFileSync(join(path, '2'), 'utf8')).toBe('of somebody else');
    expect(rights()).toEqual(before);
  });

  it('is a link in the place of a file: its target keeps its content', () => {
    const { path } = victim();
    const target = join(path, 'target');
    writeFileSync(target, 'of somebody else');
    const write = attacked(temporaryFolder(), (change) => {
      if (/^link .*miftah\.env$/.test(change)) symlinkSync(target, change.slice('link '.length));
    });
    expect(write).toThrow('EEXIST');
    expect(readFileSync(target, 'utf8')).toBe('of somebody else');
  });

  it('is a folder of theirs on the way: nothing is written into it', () => {
    if (!isRoot) return console.warn('LEFT OUT: only root can give a folder to somebody else');
    const root = temporaryFolder();
    const write = attacked(root, (change) => {
      if (change === 'draft') chownSync(join(root, 'etc'), SOMEBODY, SOMEBODY);
    });
    expect(write).toThrow(`${join(root, 'etc')} is a folder of another user (${SOMEBODY})`);
    expect(treeOf(root)).toEqual([]);
  });
});
