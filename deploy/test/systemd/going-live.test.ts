import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasTools } from '../../../scripts/debian.mjs';
import { LiveClient } from '../../../service/test/support/live/live-client.ts';
import { answerPush } from '../../../service/test/support/live/live-login.ts';
import { blocksOf } from '../support/going-live/page.ts';
import { builtRelease } from '../support/release/built-release.ts';
import { Machine } from '../support/systemd/machine.ts';
import { keepCode, ready } from '../support/systemd/operator.ts';

/**
 * docs/going-live.md on a machine that systemd has booted: `miftah init`, as a rehearsal,
 * and then what the pages run with the unit. The tests are the days of one machine, in this order.
 */

/** The first boot of a machine installs its Debian, which a busy machine does slowly. */
const BOOT_LIMIT_MS = 900_000;
const PERSON = '1000001101';
const INIT = 'miftah init --rehearse --dir /etc/miftah --public-url http://127.0.0.1:3000';
const PROVIDER =
  'systemd-run --unit=provider --property=EnvironmentFile=/etc/miftah/simulator.env ' +
  '/opt/miftah/bin/miftah-simulator';

const isPossible = hasTools('systemd');
const [ofUnit, ofOther] = blocksOf('docs/going-live.md').filter(({ kind }) => kind === 'booted');
let machine: Machine;
let key = '';

beforeAll(async () => {
  if (isPossible) machine = await Machine.boot(await builtRelease('full'));
}, BOOT_LIMIT_MS);
afterAll(async () => {
  if (isPossible) await machine?.[Symbol.asyncDispose]();
});

/** The lines of a page with `miftah-admin`, below headings that begin so. */
function adminLines(document: string, heading: string): string {
  const blocks = blocksOf(document).filter((block) => block.heading.startsWith(heading));
  const lines = blocks.flatMap(({ script }) => script.split('\n'));
  return lines.filter((line) => line.startsWith('miftah-admin ')).join('\n');
}

test('init sets it up, and step 6 starts it without a complaint of the doctor', async () => {
  if (!isPossible) return;
  await machine.expect('ln -s /opt/miftah/bin/miftah /usr/local/bin/miftah');
  const made = await machine.expect(INIT);
  [key = ''] = /mfk_\S+/.exec(made) ?? [];
  await keepCode(machine);
  await machine.expect(PROVIDER);
  const asked = `fetch('http://127.0.0.1:4000/livez').then(() => 0, () => process.exit(1))`;
  await machine.expect(`until /opt/miftah/bin/node -e "${asked}"; do sleep 1; done`);
  const said = await machine.expect(ofUnit?.script ?? '');
  expect(said.match(/^(?:warning|fault) .*$/gm)).toEqual([
    expect.stringMatching(/^warning +store\.open .*is empty/),
  ]);
  await ready(machine);
  const rights = await machine.expect(`stat -c '%U:%G %a' /etc/miftah/miftah.env /var/lib/miftah`);
  expect(rights.split('\n')).toEqual(['root:miftah 640', 'miftah:miftah 700']);
});

test('the commands of steps 7 and 8 work on the store of the user miftah', async () => {
  if (!isPossible) return;
  const [service, simulator] = [await machine.relay(3000), await machine.relay(4000)];
  const client = new LiveClient({ service }, key);
  const started = await client.startPhone(PERSON);
  await answerPush({ simulator }, client, started);
  await client.confirm(started);
  expect((await client.redeem(started)).status).toBe(200);
  const seventh = await machine.expect(adminLines('docs/going-live.md', '7.'));
  expect(seventh).toMatch(/store\.sealed.*detail=rehearsal/);
  const lines = adminLines('docs/going-live.md', '8.');
  const eighth = await machine.expect(`ID=${started.attempt_id}\n${lines}`);
  expect(lines.split('\n')).toHaveLength(3);
  expect(eighth).toContain(started.attempt_id);
  expect(eighth).toMatch(/1 token/);
});

test('as root, miftah is refused for this store', async () => {
  if (!isPossible) return;
  const asRoot = await machine.run('miftah --config /etc/miftah/miftah.env audit');
  expect(asRoot.code, asRoot.out).not.toBe(0);
});

test('a backup is made and tried, as docs/backup.md says', async () => {
  if (!isPossible) return;
  const [backup, trial] = blocksOf('docs/backup.md');
  await machine.expect(backup?.script ?? '');
  const said = await machine.expect(trial?.script ?? '');
  expect(said).toContain('is a whole copy');
  expect(said).toContain('Every row is as it was written');
});

test('under another supervisor the user of the service owns what it needs', async () => {
  if (!isPossible) return;
  await machine.expect(`systemctl stop miftah\n${ofOther?.script ?? ''}`);
  const doctor = 'runuser -u miftah -- miftah --config /etc/miftah/miftah.env doctor';
  const { code, out } = await machine.run(doctor);
  expect([code, out.match(/^fault .*$/gm)], out).toEqual([0, null]);
});
