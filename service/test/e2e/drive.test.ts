import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { shareListeningService } from '../support/service/listening-service.ts';
import { runMiftahProgram } from '../support/programs/operator.ts';
import { programFile } from '../../../scripts/program-files.ts';

/** `npx miftah` as a program of its own, against a running service. */

const service = shareListeningService();
const run = (args: readonly string[], settings: Record<string, string> = {}) =>
  runMiftahProgram(args, { MIFTAH_URL: service().origin, ...settings });

describe('miftah, as a program', () => {
  it('signs in, and prints nothing else than the result', async () => {
    const { code, out, err } = await run(['login', '--approve']);
    expect([code, err]).toEqual([0, expect.stringMatching(/^Choose \d+ on the phone\. /)]);
    expect(JSON.parse(out)).toMatchObject({ user: { national_id: '1000001101' } });
  });

  it.each([
    ['coloured', { FORCE_COLOR: '1' }],
    ['plain', { NO_COLOR: '1' }],
  ])('is JSON in a pipe, %s or not', async (_, settings) => {
    const { out } = await run(['outcomes'], settings);
    expect(JSON.parse(out)).toContainEqual(expect.objectContaining({ key: 'refuses' }));
  });

  it('has nothing to say to a reader who has left', async () => {
    const child = spawn(process.execPath, [programFile('miftah'), 'people'], {
      env: { MIFTAH_URL: service().origin },
    });
    child.stdout.destroy();
    const [said, ended] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect([said, ended]).toEqual(['', [0, null]]);
  });

  it('is ended by Ctrl-C, and says so without a stack', async () => {
    const child = spawn(process.execPath, [programFile('miftah'), 'login', '--browser'], {
      env: { MIFTAH_URL: service().origin },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const said = text(child.stderr);
    await once(child.stderr, 'data');
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([130, null]);
    expect(await said).toMatch(/\nmiftah: command\.interrupted: Ended by Ctrl-C\. .+\n$/);
    expect(await said).not.toContain('    at ');
  });

  it('says which program has the commands, in groups', async () => {
    const { code, out } = await run(['--help']);
    expect(code).toBe(0);
    expect(out).toMatch(/\nDrive a running instance .+:\n {2}login .*\n[^]*\nRun and look after/);
  });

  it('dev --help lists its settings beside those of other commands', async () => {
    const settings = { DATA_DIR: '/nowhere', PROVIDER: 'live' };
    const { code, out } = await runMiftahProgram(['dev', '--help'], settings);
    expect(code).toBe(0);
    expect(out).toContain('Usage: miftah dev');
  });
});

it('a command that drives an instance loads nothing of the service', async () => {
  const source = fileURLToPath(new URL('../../miftah.mjs', import.meta.url));
  const listing = `
    import { registerHooks } from 'node:module';
    const tell = (url) => process.stderr.write(url + '\\n');
    registerHooks({ load: (url, context, next) => (tell(url), next(url, context)) });
  `;
  const hook = `data:text/javascript,${encodeURIComponent(listing)}`;
  const args = ['--import', hook, source, 'people', '--json'];
  const { stderr } = await promisify(execFile)(process.execPath, args, {
    env: { MIFTAH_URL: service().origin },
  });
  const loaded = stderr.split('\n').filter((url) => url.startsWith('file:'));
  expect(loaded.some((url) => url.endsWith('/commands/people/people.ts'))).toBe(true);
  const heavy = [
    /\/node_modules\/(?!commander\/)/,
    /\/simulator\//,
    /\/src\/(?:store|http|flow|provider)\//,
    /\/src\/(?:config|program|main|develop|program\/operator)\.ts$/,
  ];
  expect(loaded.filter((url) => heavy.some((one) => one.test(url)))).toEqual([]);
});
