import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import table from '../../../client/promises.json' with { type: 'json' };
import packageFile from '../../package.json' with { type: 'json' };
import { hasTools } from '../../../scripts/debian.mjs';
import { packPython } from '../../../scripts/pack/python.ts';
import { programFile } from '../../../scripts/program-files.ts';
import { share, temporaryFolder, type AtEnd } from '../support/at-end.ts';
import { shareListeningService } from '../support/service/listening-service.ts';

/**
 * The package of clients/python as somebody has it who has installed its wheel, with Debian's
 * libraries: `npm run test:clients`.
 */

const ROOT = join(import.meta.dirname, '../../..');
const PACKAGE = join(ROOT, 'clients/python');
/** The one that Debian's libraries are for. */
const PYTHON = '/usr/bin/python3';
const PYTEST = ['-B', '-m', 'pytest', '-q', '-p', 'no:cacheprovider'];

interface Ran {
  readonly code: number;
  readonly said: string;
}

async function run(folder: string, program: string, ...args: readonly string[]): Promise<Ran> {
  const env = {
    ...process.env,
    MIFTAH_COMMAND: `${process.execPath} ${programFile('miftah')}`,
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const child = spawn(program, args, { cwd: folder, env });
  const [out, error, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number]>,
  ]);
  return { code, said: out + error };
}

/** @returns the Python that has the package, beside those of Debian */
async function installed(atEnd: AtEnd) {
  const folder = temporaryFolder('python', atEnd);
  const venv = join(folder, 'venv');
  const [built, made] = await Promise.all([
    packPython(join(folder, 'dist')),
    run(folder, PYTHON, '-m', 'venv', '--system-site-packages', venv),
  ]);
  expect(made.code, made.said).toBe(0);
  const [wheel = '', sources = ''] = built ?? [];
  const python = join(venv, 'bin/python');
  const options = ['--no-index', '--no-deps', '--quiet', '--disable-pip-version-check'];
  const { code, said } = await run(folder, python, '-m', 'pip', 'install', ...options, wheel);
  expect({ code, said }).toEqual({ code: 0, said: '' });
  return { folder, python, wheel, sources };
}

const { version } = packageFile;
const NAMES_IN_WHEEL =
  'import sys, zipfile; print(*zipfile.ZipFile(sys.argv[1]).namelist(), sep="\\n")';

/** Registries refuse members of a later version of the metadata. Others have been there from 2.1 on. */
const KNOWN_SINCE: Readonly<Record<string, string>> = {
  Dynamic: '2.2',
  'License-Expression': '2.4',
  'License-File': '2.4',
};

/** Without what Python keeps beside them. */
function sourcesOfPackage(): string[] {
  return globSync('miftah/**/*.*', { cwd: join(PACKAGE, 'src') })
    .concat('miftah/LICENSE')
    .filter((name) => !name.includes('__pycache__'));
}

describe('the package of Python', { skip: !hasTools('pythonClient') }, () => {
  const place = share(installed);
  const service = shareListeningService();

  it('C-18 is in the wheel whole, with its types, its licence and its fixtures', async () => {
    const { folder, python, wheel } = place();
    const listed = await run(folder, python, '-c', NAMES_IN_WHEEL, wheel);
    const described = ['METADATA', 'RECORD', 'WHEEL', 'entry_points.txt'];
    expect(listed.said.trim().split('\n').toSorted()).toEqual(
      [
        ...sourcesOfPackage(),
        ...described.map((name) => `miftah-${version}.dist-info/${name}`),
      ].toSorted(),
    );
    expect(sourcesOfPackage()).toEqual(
      expect.arrayContaining(['miftah/LICENSE', 'miftah/py.typed', 'miftah/testing/plugin.py']),
    );
    const licence = join(PACKAGE, 'src/miftah/LICENSE');
    expect(readFileSync(licence)).toEqual(readFileSync(join(ROOT, 'LICENSE')));
  });

  it('says in the wheel only what its version of the metadata knows', async () => {
    const { folder } = place();
    const [file = ''] = globSync('venv/lib/*/site-packages/miftah-*.dist-info/METADATA', {
      cwd: folder,
    });
    const [head = '', page] = readFileSync(join(folder, file), 'utf8').split(/\n\n([^]+)/);
    expect(page).toBe(readFileSync(join(PACKAGE, 'README.md'), 'utf8'));
    expect(page).not.toMatch(/\]\((?!https:)/);
    const members = head.split('\n').map((line) => line.split(': ', 2));
    const known = members.find(([name]) => name === 'Metadata-Version')?.[1] ?? '';
    const unknown = members.filter(([name = '']) => (KNOWN_SINCE[name] ?? '') > known);
    expect(unknown).toEqual([]);
    for (const member of [
      `Version: ${version}`,
      'License: Apache-2.0',
      'Requires-Python: >=3.11',
    ]) {
      expect(head).toContain(`${member}\n`);
    }
    expect(head.match(/^Requires-Dist: .+$/gm)).toEqual([
      'Requires-Dist: httpx<1,>=0.23',
      expect.stringContaining("extra == 'testing'"),
    ]);
  });

  it('is the same wheel when somebody builds it from the source distribution', async () => {
    const { folder, wheel, sources } = place();
    const own = join(folder, 'of-sources');
    await run(folder, 'tar', '-xzf', sources);
    const tree = join(folder, `miftah-${version}`);
    const files = readdirSync(tree, { recursive: true, withFileTypes: true });
    const names = files
      .filter((one) => one.isFile())
      .map((one) => relative(tree, join(one.parentPath, one.name)));
    expect(names.toSorted()).toEqual(
      sourcesOfPackage()
        .map((name) => `src/${name}`)
        .concat('.gitignore', 'PKG-INFO', 'README.md', 'pyproject.toml')
        .toSorted(),
    );
    const built = await run(tree, 'hatchling', 'build', '-t', 'wheel', '-d', own);
    expect(built.code, built.said).toBe(0);
    const [again = ''] = globSync('*.whl', { cwd: own });
    expect(readFileSync(join(own, again)).equals(readFileSync(wheel))).toBe(true);
  });

  it('C-18 is typed strictly, and so is who uses it', async () => {
    const { folder, python } = place();
    const cache = ['--cache-dir', join(folder, 'types')];
    const own = await run(PACKAGE, 'mypy', ...cache);
    expect(own.said).toMatch(/^Success: no issues found in \d+ source files\n$/);
    const program = [
      'from miftah import Miftah',
      'attempt = Miftah("http://127.0.0.1:3000/api/v1").start(locale="en")',
      'print(attempt.issue_token().user.nationality + attempt.random)',
    ];
    writeFileSync(join(folder, 'typed.py'), program.join('\n'));
    const strictly = ['--strict', '--no-error-summary', '--python-executable', python];
    const theirs = await run(folder, 'mypy', ...cache, ...strictly, 'typed.py');
    expect(theirs.said).toBe(
      'typed.py:3: error: Unsupported operand types for + ("str" and "None")  [operator]\n' +
        'typed.py:3: note: Right operand is of type "Optional[str]"\n',
    );
  });

  it('keeps its promises, for blocking code and for asyncio', async () => {
    const { folder, python } = place();
    cpSync(join(PACKAGE, 'tests'), join(folder, 'clients/python/tests'), { recursive: true });
    cpSync(join(ROOT, 'client/promises.json'), join(folder, 'client/promises.json'));
    const { code, said } = await run(join(folder, 'clients/python'), python, ...PYTEST, 'tests');
    expect(code, said).toBe(0);
    expect(Number(/(\d+) passed/.exec(said)?.[1])).toBeGreaterThan(2 * table.cases.length);
  });

  it('signs in by the programs of docs/python.md', async () => {
    const { folder, python } = place();
    const page = readFileSync(join(ROOT, 'docs/python.md'), 'utf8');
    const blocks = [...page.matchAll(/```python\n([^]*?)```/g)].map(([, code = '']) => code);
    const [login = '', test = '', waits = ''] = blocks;
    const environment = `import os\nos.environ["MIFTAH_URL"] = "${service().origin}/api/v1"\n`;
    writeFileSync(join(folder, 'login.py'), environment + login);
    writeFileSync(join(folder, 'waits.py'), environment + waits);
    writeFileSync(join(folder, 'test_page.py'), test);
    expect((await run(folder, python, 'login.py')).said).toMatch(
      /^Choose \d+ on your phone\nWelcome, \S+ .*\n$/,
    );
    expect((await run(folder, python, 'waits.py')).said).toBe('authenticated\n');
    expect((await run(folder, python, ...PYTEST, 'test_page.py')).said).toContain('1 passed');
  });

  it.each(['django', 'fastapi'])('signs in by the application of examples/%s', async (name) => {
    const { folder, python } = place();
    const own = join(folder, name);
    cpSync(join(ROOT, 'examples', name), own, { recursive: true });
    const { code, said } = await run(own, python, ...PYTEST);
    expect(said).toContain('8 passed');
    expect(code).toBe(0);
  });
});

it('clients/python/README.md has the promises of client/promises.json', () => {
  const page = readFileSync(join(PACKAGE, 'README.md'), 'utf8');
  const listed = [...page.matchAll(/^- \*\*(C-\d+)\*\* (.+)$/gm)];
  const promised = table.promises.filter((one) => one.notInPython === undefined);
  expect(listed.map(([, number, says]) => ({ number, says }))).toEqual(
    promised.map(({ number, says, python = says }) => ({ number, says: python })),
  );
});
