import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect, it, onTestFinished } from 'vitest';
import { LIVE_ANSWERS } from '../../../test/support/set-up/answers.ts';
import { nextSteps } from './next-steps.ts';

/** Nobody else can give the files to the user of the service. */
const isRoot = process.getuid?.() === 0;

const ANSWERS = {
  ...LIVE_ANSWERS,
  DATA_DIR: '/var/lib/miftah',
  AUDIT_HEAD_FILE: '/var/lib/miftah-head/audit-head',
};

/** @param users what stands in /etc/passwd of the system that is set up */
function system(users: string) {
  const root = mkdtempSync(join(tmpdir(), 'miftah-next-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'etc'));
  writeFileSync(join(root, 'etc', 'passwd'), users);
  return { dir: '/etc/miftah', root, isRehearsal: false, hasUnit: false };
}

const MISSING = 'root:x:0:0::/root:/bin/sh\n';
const linesOf = ({ next }: ReturnType<typeof nextSteps>) => next.map(([line]) => line);

it('root is told to make the user of the service, and starts it as that user', () => {
  const lines = linesOf(nextSteps(system(MISSING), ANSWERS, null));
  if (!isRoot) return expect(lines.join()).not.toMatch(/useradd|runuser/);
  expect(lines.slice(0, 4)).toEqual([
    'useradd --system --shell /usr/sbin/nologin miftah',
    'chown -R root:miftah /etc/miftah',
    'chmod 750 /etc/miftah && chmod 640 /etc/miftah/miftah.env /etc/miftah/clients.json',
    'chown -R miftah:miftah /etc/miftah/secrets /var/lib/miftah /var/lib/miftah-head',
  ]);
  expect(lines.slice(4)).toEqual([
    expect.stringMatching(/^runuser -u miftah -- .* doctor$/),
    expect.stringMatching(/^runuser -u miftah -- .* start --config /),
  ]);
});

it('a folder that was there before is not given away with all that is in it', () => {
  const place = system(MISSING);
  const answers = { ...ANSWERS, DATA_DIR: '/etc', AUDIT_HEAD_FILE: '/etc/miftah/head' };
  const lines = linesOf(nextSteps(place, answers, null)).filter((line) =>
    line.includes('-R miftah'),
  );
  expect(lines).toEqual(isRoot ? ['chown -R miftah:miftah /etc/miftah/secrets'] : []);
});

it('where the user is there, nobody is told to make it; a rehearsal needs none', () => {
  const there = system(`${MISSING}miftah:x:4242:4343::/:/usr/sbin/nologin\n`);
  const lines = linesOf(nextSteps(there, ANSWERS, null));
  expect(lines.map((line) => line.startsWith('runuser '))).toEqual([isRoot, isRoot]);
  const rehearsal = linesOf(nextSteps({ ...there, isRehearsal: true }, ANSWERS, null));
  expect(rehearsal.join()).not.toMatch(/useradd|runuser/);
  const unit = linesOf(nextSteps({ ...system(MISSING), hasUnit: true }, ANSWERS, null));
  expect(unit.join()).not.toMatch(/useradd|runuser/);
});
