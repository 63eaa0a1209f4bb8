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
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { draftsOf, writePlan, type Plan } from './write-files.ts';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-set-up-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const file = (path: string, mode = 0o600) => ({ path, text: `of ${path}\n`, mode, owner: null });
const folder = (path: string) => ({ path, mode: 0o700, owner: null });

function planIn(root: string): Plan {
  return {
    dir: folder(join(root, 'etc', 'miftah')),
    folders: [folder('secrets'), folder('data')],
    files: [file('secrets/secret-key'), file('clients.json', 0o640), file('miftah.env', 0o640)],
    dataFolders: [folder(join(root, 'var', 'lib', 'head'))],
    unitFiles: [file(join(root, 'etc', 'systemd', 'miftah.service'), 0o644)],
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
  'etc/miftah/clients.json 640',
  'etc/miftah/data 700',
  'etc/miftah/miftah.env 640',
  'etc/miftah/secrets 700',
  'etc/miftah/secrets/secret-key 600',
  'etc/systemd/miftah.service 644',
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
    const planned = treeOf(root).filter(
      (line) => !/^(?:etc|etc\/systemd|var|var\/lib) /.test(line),
    );
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
    let step = 0;
    const root = prepared();
    const plan = planIn(root);
    writePlan(planIn(root), (change) => {
      step += 1;
      const isLast = /rename .*miftah\.env|remove the draft/.test(change);
      const settings = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) =>
        path.endsWith('etc/miftah/miftah.env'),
      );
      if (!isLast) expect(settings, change).toEqual([]);
      if (step > 3 && !isLast) expect(draftsOf(plan), change).not.toEqual([]);
    });
    expect(draftsOf(plan)).toEqual([]);
  });
});

it('the draft of a unit that a killed process has left is named, and stays', () => {
  const root = temporaryFolder();
  const plan = planIn(root);
  const folderOfUnits = join(root, 'etc', 'systemd');
  mkdirSync(folderOfUnits, { recursive: true });
  const draft = join(folderOfUnits, '.miftah-init-miftah.service');
  writeFileSync(draft, 'of another process');
  const before = treeOf(root);
  expect(draftsOf(plan)).toEqual([draft]);
  expect(() => writePlan(plan)).toThrow('EEXIST');
  expect(treeOf(root)).toEqual(before);
});

it('a unit that is there is not replaced, and nothing else is written', () => {
  const root = temporaryFolder();
  const plan = planIn(root);
  mkdirSync(join(root, 'etc', 'systemd'), { recursive: true });
  const [unit] = plan.unitFiles;
  mkdirSync(unit?.path ?? '');
  const before = treeOf(root);
  expect(() => writePlan(plan)).toThrow('EEXIST');
  expect(treeOf(root)).toEqual(before);
});

/** Only root can give a file to another user; in containers tests run as root. */
const isRoot = process.getuid?.() === 0;
const SOMEBODY = 12_345;

/** A plan that gives folders away, with what happens before each change. */
function attacked(root: string, attack: (change: string) => void): () => void {
  const owner = isRoot ? { uid: SOMEBODY, gid: SOMEBODY } : null;
  const given = (one: Plan['folders'][number]) => ({ ...one, mode: 0o711, owner });
  const plan = planIn(root);
  const all = { ...plan, dir: given(plan.dir), folders: plan.folders.map(given) };
  return () => writePlan(all, attack);
}

function victim(): { readonly path: string; readonly rights: () => unknown } {
  const path = temporaryFolder();
  const rights = () => {
    const { uid, gid, mode } = statSync(path);
    return { uid, gid, mode };
  };
  return { path, rights };
}

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

  it('is a link in the place of the draft: its target keeps its owner and its mode', () => {
    const { path, rights } = victim();
    const before = rights();
    const write = attacked(temporaryFolder(), (change) => {
      if (!/^write .*miftah\.env$/.test(change)) return;
      const draft = dirname(change.slice('write '.length));
      renameSync(draft, join(path, 'the-draft'));
      symlinkSync(path, draft);
    });
    expect(write).toThrow(/ENOTDIR|ELOOP/);
    expect(rights()).toEqual(before);
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

  it('is a draft of theirs: it is not counted, and one of this user is', () => {
    if (!isRoot) return console.warn('LEFT OUT: only root can give a folder to somebody else');
    const dir = join(temporaryFolder(), 'settings');
    const [own, other] = [`${dirname(dir)}/.miftah-init-own`, `${dirname(dir)}/.miftah-init-other`];
    mkdirSync(own);
    mkdirSync(other);
    chownSync(other, SOMEBODY, SOMEBODY);
    const plan = { ...planIn(dir), dir: folder(dir), unitFiles: [] };
    expect(draftsOf(plan).map((path) => basename(path))).toEqual(['.miftah-init-own']);
  });
});
