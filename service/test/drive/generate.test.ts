import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MOST_GENERATED, MOST_SEED, PEOPLE_MAX } from '@miftah/simulator/population';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/at-end.ts';
import { drive, resultOf, type DriveOptions } from '../support/drive/drive.ts';

/** `miftah people generate`: no instance, a file of people. */

const NOWHERE = 'http://127.0.0.1:1';

function somewhere() {
  const folder = temporaryFolder('people');
  return { folder, file: join(folder, 'people.json') };
}

const generate = (args: readonly string[], options?: DriveOptions) =>
  drive(NOWHERE, ['people', 'generate', ...args], options);

const noPeople = () => Promise.resolve(['']);

interface Result {
  readonly file: string;
  readonly people: number;
  readonly seed: number;
  readonly bytes: number;
  readonly sha256: string;
}

describe('miftah people generate', () => {
  it('prints the people file, the same one for a seed, without an instance', async () => {
    const [one, again, other] = [
      await generate(['--count', '3', '--seed', '7']),
      await generate(['--seed=7', '--count=3']),
      await generate(['--count', '3']),
    ];
    expect(one).toMatchObject({ code: 0, err: '', sent: [] });
    expect(resultOf<{ people: unknown[] }>(one).people).toHaveLength(3);
    expect(again.out).toBe(one.out);
    expect(other.out).not.toBe(one.out);
  });

  it('writes a file that only this user may read, and says what is in it', async () => {
    const { folder, file } = somewhere();
    const ran = await generate(['--count', '1200', '--out', file]);
    const text = readFileSync(file);
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(resultOf<Result>(ran)).toEqual({
      file,
      people: 1200,
      seed: 1,
      bytes: text.length,
      sha256: createHash('sha256').update(text).digest('hex'),
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['people.json']);
  });

  it('says on a terminal what it has written, and as JSON where it is asked to', async () => {
    const { file } = somewhere();
    const ran = await generate(['--count', '2', '--out', file], { terminal: 80 });
    expect(ran.out).toBe(`2 people of seed 1 are in ${file}, for PEOPLE_FILE of the simulator.\n`);
    const asked = await generate(['--count=2', '--out', file, '--force', '--json'], {
      terminal: 80,
    });
    expect(resultOf<Result>(asked).people).toBe(2);
  });

  it('replaces a file with --force only', async () => {
    const { file } = somewhere();
    writeFileSync(file, 'mine');
    const refused = await generate(['--count', '2', '--out', file]);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain('it is there already');
    expect(refused.err).toContain('--force');
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect(await generate(['--count', '2', '--out', file, '--force'])).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).toContain('person-2');
  });

  it('leaves nothing where it was ended', async () => {
    const { folder, file } = somewhere();
    const stop = AbortSignal.abort();
    const ran = await generate(['--count', '900', '--out', file], { context: { stop } });
    expect(ran).toMatchObject({ code: 130, out: '' });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('says what to do where the folder is missing, or the name is that of a folder', async () => {
    const { folder, file } = somewhere();
    const missing = await generate(['--count', '1', '--out', join(folder, 'no', 'people.json')]);
    expect(missing).toMatchObject({ code: 1, out: '' });
    expect(missing.err).toContain('Make its folder first.');
    mkdirSync(file);
    const ran = await generate(['--count', '1', '--out', file, '--force']);
    expect(ran.err).toContain('Name a file: this is a folder.');
  });

  it('says that a simulator loads fewer people', async () => {
    const { file } = somewhere();
    const args = ['--count', String(PEOPLE_MAX + 1), '--out', file];
    const ran = await generate(args, { context: { peopleFile: noPeople } });
    expect(ran).toMatchObject({
      code: 0,
      err: `A simulator loads at most ${PEOPLE_MAX} people.\n`,
    });
  });

  it.each([
    [[], '--count'],
    [['--count', '0'], `from 1 to ${MOST_GENERATED}`],
    [['--count', String(MOST_GENERATED + 1)], `from 1 to ${MOST_GENERATED}`],
    [['--count', '1.5'], 'whole number'],
    [['--count', '1', '--seed', '-1'], 'from 0 to'],
    [['--count', '1', '--seed', String(MOST_SEED + 1)], 'from 0 to'],
    [['--count', '1', '--force'], '--force belongs to --out'],
    [['--count', '1', '--json'], '--json belongs to --out'],
    [['--count', '1', 'people.json'], 'too many arguments'],
  ])('refuses %o and writes nothing', async (args, says) => {
    const ran = await generate(args);
    expect(ran).toMatchObject({ code: 2, out: '', sent: [] });
    expect(ran.err).toContain(says);
  });
});
