import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import table from '../../../client/promises.json' with { type: 'json' };
import { hasTools } from '../../../scripts/debian.mjs';
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
    run(PACKAGE, 'hatchling', 'build', '-t', 'wheel', '-d', folder),
    run(folder, PYTHON, '-m', 'venv', '--system-site-packages', venv),
  ]);
  expect([built.code, made.code], built.said + made.said).toEqual([0, 0]);
  const [wheel = ''] = globSync('*.whl', { cwd: folder });
  const python = join(venv, 'bin/python');
  const options = ['--no-index', '--no-deps', '--quiet', '--disable-pip-version-check'];
  const { code, said } = await run(folder, python, '-m', 'pip', 'install', ...options, wheel);
  expect({ code, said }).toEqual({ code: 0, said: '' });
  return { folder, python, wheel };
}

describe('the package of Python', { skip: !hasTools('pythonClient') }, () => {
  const place = share(installed);
  const service = shareListeningService();

  it('C-18 has its types, its licence and its fixtures in the wheel', async () => {
    const { folder, python, wheel } = place();
    const listed = await run(folder, python, '-m', 'zipfile', '-l', wheel);
    for (const path of ['miftah/py.typed', 'licenses/LICENSE', 'entry_points.txt']) {
      expect(listed.said).toContain(path);
    }
    const [file = ''] = globSync('venv/lib/*/site-packages/miftah-*.dist-info/METADATA', {
      cwd: folder,
    });
    const metadata = readFileSync(join(folder, file), 'utf8');
    expect(metadata).toMatch(/^License-Expression: Apache-2\.0$/m);
    expect(metadata.match(/^Requires-Dist: .+$/gm)).toEqual([
      'Requires-Dist: httpx<1,>=0.23',
      expect.stringContaining("extra == 'testing'"),
    ]);
    expect(readFileSync(join(PACKAGE, 'LICENSE'))).toEqual(readFileSync(join(ROOT, 'LICENSE')));
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
