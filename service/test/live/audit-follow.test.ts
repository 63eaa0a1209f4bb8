import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMPILE_CACHE } from '../../../scripts/compile-cache.mjs';
import { programFile } from '../../../scripts/program-files.ts';
import { serviceSettings } from '../../../scripts/rehearsal.ts';
import { temporaryFolder } from '../support/at-end.ts';
import { alter } from '../support/attacks/damaged-store.ts';
import { LiveClient } from '../support/live/live-client.ts';
import { logIn } from '../support/live/live-login.ts';
import { BANK_KEY } from '../support/live/rehearsal.ts';
import { openRehearsal, type OpenedRehearsal } from '../support/live/shared-rehearsal.ts';
import { miftah, runMiftah } from '../support/programs/operator.ts';
import { until } from '../support/programs/until.ts';

let rehearsal: OpenedRehearsal;
beforeAll(async () => void (rehearsal = await openRehearsal()));
afterAll(async () => rehearsal[Symbol.asyncDispose]());

const audit = (...args: string[]) => miftah(rehearsal, ['audit', ...args]);
const signIn = (person: string) => logIn(new LiveClient(rehearsal, BANK_KEY), person);

function sequencesIn(text: string): number[] {
  const lines = text.split('\n').filter((line) => line.endsWith('}'));
  return lines.map((line) => (JSON.parse(line) as { sequence: number }).sequence);
}

const settings = () => {
  const { plan, service } = rehearsal;
  return { ...serviceSettings(plan), DATA_DIR: service.dataDir };
};

/** `audit --follow` in a process of its own that can be killed, with its output in a file. */
function follow(output: string, ...args: string[]) {
  const env = { NODE_COMPILE_CACHE: COMPILE_CACHE, ...settings() };
  const to = openSync(output, 'a');
  const flags = ['audit', '--follow', '--json', ...args];
  const child = spawn(process.execPath, [programFile('miftah'), ...flags], {
    env,
    stdio: ['ignore', to, 'pipe'],
  });
  closeSync(to);
  let told = '';
  child.stderr?.on('data', (part) => (told += String(part)));
  return {
    told: () => told,
    exit: once(child, 'exit') as Promise<[number | null, string | null]>,
    kill: () => child.kill('SIGKILL'),
  };
}

const show = (number: string) =>
  runMiftah(['user', 'show', '--national-id'], settings(), `${number}\n`);

/** Above the files of the store. */
const LIMIT_KIB = 2048;

const newest = async () => sequencesIn((await audit('--json')).out).at(-1) ?? 0;

describe('miftah audit --cursor', () => {
  it('prints each row once over many calls, with a filter too', async () => {
    const cursor = join(temporaryFolder('audit'), 'cursor');
    await signIn('amal');
    const first = await audit('--json', '--cursor', cursor);
    expect(sequencesIn(first.out)[0]).toBe(1);
    expect((await audit('--json', '--cursor', cursor)).out).toBe('');
    await signIn('faisal');
    const filtered = await audit('--cursor', cursor, '--ecs', '--action', 'token.issued');
    const rows = filtered.out.trim().split('\n');
    expect(rows.map((row) => JSON.parse(row) as unknown)).toMatchObject([
      { event: { action: 'token.issued', category: ['authentication'] } },
    ]);
    // What the filter has left out was read too.
    expect((await audit('--cursor', cursor)).out).toBe('');
  });

  it('begins after --after while the file is not there yet', async () => {
    const cursor = join(temporaryFolder('audit'), 'cursor');
    const { out } = await audit('--json', '--after', '2', '--cursor', cursor);
    expect(sequencesIn(out)[0]).toBe(3);
  });

  it('keeps its place where the output takes no rows', async () => {
    const cursor = join(temporaryFolder('audit'), 'cursor');
    const { exit, told } = follow('/dev/full', '--cursor', cursor);
    expect(await exit).toEqual([1, null]);
    expect(told()).toContain('ENOSPC');
    expect(existsSync(cursor)).toBe(false);
  });

  it('keeps its place where a full disk takes a part of the rows, and gives all of them later', async () => {
    const folder = temporaryFolder('audit');
    const [cursor, output] = [join(folder, 'cursor'), join(folder, 'output')];
    await signIn('amal');
    // A limit on the size of files cuts a write as a full disk does. A row has about 300 bytes.
    const room = 500;
    writeFileSync(output, `${' '.repeat(LIMIT_KIB * 1024 - room - 1)}\n`);
    const limited = `trap '' XFSZ; ulimit -f ${LIMIT_KIB}; exec "$0" "$@" >> '${output}'`;
    const args = [programFile('miftah'), 'audit', '--json', '--cursor', cursor];
    const env = { NODE_COMPILE_CACHE: COMPILE_CACHE, ...settings() };
    const child = spawn('bash', ['-c', limited, process.execPath, ...args], { env });
    expect(await once(child, 'exit')).toEqual([1, null]);
    expect(existsSync(cursor)).toBe(false);
    const torn = readFileSync(output, 'utf8');
    expect(torn).toHaveLength(LIMIT_KIB * 1024);

    const { exit, kill } = follow(output, '--cursor', cursor);
    const last = await newest();
    const rows = () => sequencesIn(readFileSync(output, 'utf8'));
    await until(() => rows().includes(last));
    kill();
    await exit;
    expect(rows().slice(-last)).toEqual(Array.from({ length: last }, (_, index) => index + 1));
  });

  it('ends a line in which an earlier run was cut off', async () => {
    const folder = temporaryFolder('audit');
    const [cursor, output] = [join(folder, 'cursor'), join(folder, 'output')];
    await audit('--cursor', cursor);
    writeFileSync(output, '{"sequence":');
    await signIn('amal');
    const { exit, kill } = follow(output, '--cursor', cursor);
    const last = await newest();
    await until(() => sequencesIn(readFileSync(output, 'utf8').slice(12)).includes(last));
    kill();
    await exit;
    expect(readFileSync(output, 'utf8')).toMatch(/^\{"sequence":\n\{"sequence":\d+,/);
  });

  it('prints nothing where the file of its place can’t be written', async () => {
    const { code, out, err } = await audit(
      '--cursor',
      join(temporaryFolder('audit'), 'no', 'cursor'),
    );
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('ENOENT');
  });

  it.each(['hello\n', '', '3\n', `0 ${'h'.repeat(43)}\n`])(
    'changes no file that is another one: %j',
    async (content) => {
      const cursor = join(temporaryFolder('audit'), 'cursor');
      writeFileSync(cursor, content);
      const { code, out, err } = await audit('--cursor', cursor);
      expect([code, out]).toEqual([1, '']);
      expect(err).toContain('is no file of --cursor');
      expect(readFileSync(cursor, 'utf8')).toBe(content);
    },
  );

  it('says so where the log no longer has its row: an older store would repeat its numbers', async () => {
    const cursor = join(temporaryFolder('audit'), 'cursor');
    await audit('--cursor', cursor);
    const kept = readFileSync(cursor, 'utf8');
    for (const other of [kept.replace(/^\d+/, '999'), kept.replace(/\S{43}/, 'h'.repeat(43))]) {
      writeFileSync(cursor, other);
      const { code, out, err } = await audit('--cursor', cursor);
      expect([code, out]).toEqual([1, '']);
      expect(err).toMatch(/the store is an older one or was changed.* Remove \S+, and start again/);
      expect(readFileSync(cursor, 'utf8')).toBe(other);
    }
  });

  it('tells of rows that were removed before it has read them', async () => {
    const cursor = join(temporaryFolder('audit'), 'cursor');
    await audit('--cursor', cursor);
    const [from] = readFileSync(cursor, 'utf8').split(' ');
    await signIn('amal');
    const last = await newest();
    const copy = temporaryFolder('audit');
    await miftah(rehearsal, ['backup', join(copy, 'miftah.db')]);
    alter(copy, `DELETE FROM audit_log WHERE sequence = ${Number(from) + 1}`);
    const { out, err } = await miftah(rehearsal, ['audit', '--json', '--cursor', cursor], {
      DATA_DIR: copy,
    });
    expect(err).toContain(`Rows ${Number(from) + 1} to ${Number(from) + 1} were removed`);
    expect(sequencesIn(out).at(-1)).toBe(last);
  });
});

describe('miftah audit --follow', () => {
  it('has every row in its output, whenever it is killed', { timeout: 300_000 }, async () => {
    const folder = temporaryFolder('audit');
    const [cursor, output] = [join(folder, 'cursor'), join(folder, 'output')];
    const written = () => sequencesIn(existsSync(output) ? readFileSync(output, 'utf8') : '');
    for (const person of ['amal', 'faisal', 'hanae']) {
      const running = follow(output, '--cursor', cursor);
      await until(async () => written().length > 0);
      await signIn(person);
      const last = await newest();
      await until(async () => written().includes(last));
      running.kill();
      await running.exit;
      await signIn(person);
    }
    const rest = await audit('--json', '--cursor', cursor);
    const all = new Set([...written(), ...sequencesIn(rest.out)]);
    expect([...all]).toEqual(Array.from({ length: await newest() }, (_, index) => index + 1));
  });

  it('takes no --attempt', async () => {
    const { code, err } = await audit(
      '--follow',
      '--attempt',
      '0198c5e1-7d4a-7cc3-98c4-dc0c0c07398f',
    );
    expect(code).toBe(2);
    expect(err).toContain('Leave out --attempt');
  });
});

describe('miftah user show --national-id', () => {
  it('finds who has the number that it reads, and prints no number', async () => {
    await signIn('amal');
    const shown = await show('1000001101');
    expect(shown.out).toMatch(
      /^user {6}\d+\nfirst {5}20\d\d-.*\nlatest {4}20\d\d-.*\ndisabled {2}no\n$/,
    );
    const nobody = await show('1999999999');
    expect([nobody.code, nobody.err]).toEqual([1, 'There is no user with it.\n']);
  });
});
