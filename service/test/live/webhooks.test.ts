import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/at-end.ts';
import { runMiftah } from '../support/programs/operator.ts';
import { diagnosisIn, severityOf } from '../support/programs/diagnosis.ts';
import type { OpenedScene } from '../support/live/live-service.ts';
import {
  endOne,
  hookAt,
  HOOK_SECRET,
  openHooked,
  shareReceivers,
} from '../support/live/hooked-live.ts';
import { signedIn } from '../support/live/steps.ts';

/** What operators do about webhooks, by commands beside a live service. */

const { outside } = shareReceivers();

const run = ({ settings }: OpenedScene, ...args: string[]) => runMiftah(args, settings);

async function logIn(scene: OpenedScene): Promise<number> {
  const started = await scene.bank.startRedirect();
  const code = await signedIn(scene, started);
  const { data } = await scene.bank.redeem(started, { completion_code: code });
  return (data as { user: { id: number } }).user.id;
}

interface Listed {
  readonly receiver?: string;
  readonly given_up?: string;
  readonly off_since?: string | null;
  readonly answer?: string;
  readonly given_up_count?: number;
}

async function listOf(scene: OpenedScene, ...more: string[]): Promise<readonly Listed[]> {
  const { out } = await run(scene, 'webhooks', 'list', '--json', ...more);
  return out
    .trim()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Listed);
}

/** The settings, with a clients file that has no receiver. */
function withoutHooks({ settings }: OpenedScene) {
  const file = join(temporaryFolder('without'), 'clients.json');
  const { clients } = JSON.parse(readFileSync(settings['CLIENTS_FILE'] ?? '', 'utf8')) as {
    clients: object[];
  };
  const without = clients.map((client) => ({ ...client, webhooks: [] }));
  writeFileSync(file, JSON.stringify({ clients: without }), { mode: 0o600 });
  return { ...settings, CLIENTS_FILE: file };
}

describe('miftah webhooks', () => {
  it('a user who is disabled, and tokens that are revoked, are told by the service beside', async () => {
    const hook = await outside();
    const scene = await openHooked([hookAt(hook.port)]);
    const userId = await logIn(scene);
    await expect.poll(() => hook.told.map(({ type }) => type)).toEqual(['attempt.authenticated']);
    expect((await run(scene, 'revoke', '--user', String(userId))).code).toBe(0);
    expect((await run(scene, 'user', 'disable', String(userId))).code).toBe(0);
    await expect.poll(() => hook.told.length).toBe(3);
    const told = hook.told.slice(1).map(({ type, data }) => ({ type, data }));
    expect(told).toContainEqual({ type: 'tokens.revoked', data: { user_id: userId } });
    expect(told).toContainEqual({ type: 'user.disabled', data: { user_id: userId } });
  });

  it('a receiver that has answered 410 is listed, told of by the doctor, and switched on', async () => {
    const hook = await outside();
    hook.answer = () => 410;
    const scene = await openHooked([hookAt(hook.port)]);
    const attemptId = await endOne(scene);
    await expect.poll(async () => (await listOf(scene)).length).toBe(2);
    const [receiver, given] = await listOf(scene);
    expect(receiver).toMatchObject({
      client: 'bank',
      host: `receiver.test:${hook.port}`,
      waiting: 0,
      given_up_count: 1,
    });
    expect(receiver?.off_since).not.toBeNull();
    expect(given).toMatchObject({ client: 'bank', type: 'attempt.rejected', answer: '410' });
    expect(await listOf(scene, '--client', 'shop')).toEqual([]);
    const diagnosis = diagnosisIn(await run(scene, 'doctor', '--json'));
    expect(severityOf(diagnosis, 'webhooks')).toEqual(['warning']);

    hook.answer = () => 204;
    const id = receiver?.receiver ?? '';
    const delivery = given?.given_up ?? '';
    expect((await run(scene, 'webhooks', 'replay', delivery)).err).toContain(
      `switched off: \`miftah webhooks enable ${id}\` comes first`,
    );
    const moved = await runMiftah(['webhooks', 'replay', delivery], withoutHooks(scene));
    expect(moved).toMatchObject({ code: 1 });
    expect(moved.err).toContain('is no more in CLIENTS_FILE');
    const none = await run(scene, 'webhooks', 'replay', '--all', '--client', 'bank');
    expect(none).toMatchObject({ code: 1, out: '' });
    expect(none.err).toContain('None is sent again: 1 webhook can’t be: their receiver is no more');
    expect((await run(scene, 'webhooks', 'enable', id)).code).toBe(0);
    const again = await run(scene, 'webhooks', 'enable', id);
    expect(again.code).toBe(1);
    expect(again.err).toContain('It is not switched off');
    expect((await run(scene, 'webhooks', 'replay', '--all', '--client', 'bank')).out).toContain(
      '1 webhook will be sent again',
    );
    await expect.poll(() => hook.told.map(({ data }) => data['attempt_id'])).toEqual([attemptId]);
    expect(new Set(hook.arrived.map((one) => one.id)).size).toBe(1);
    expect(severityOf(diagnosisIn(await run(scene, 'doctor', '--json')), 'webhooks')).toEqual([
      'ok',
    ]);
    const { out } = await run(scene, 'audit', '--action', 'webhooks.');
    expect(out).toContain('webhooks.replayed');
    expect(out).toContain('webhooks.switched_on');
  });

  it('what was given up is counted and told of by the doctor, and one is sent again with a reason', async () => {
    const hook = await outside();
    hook.answer = () => 500;
    const scene = await openHooked([hookAt(hook.port)]);
    const attemptId = await endOne(scene);
    await endOne(scene);
    await expect.poll(() => hook.arrived.length).toBeGreaterThan(1);
    hook.answer = () => 410;
    const counts = async () => (await listOf(scene))[0]?.given_up_count;
    await expect.poll(counts, { timeout: 30_000, interval: 200 }).toBe(2);
    const shown = await run(scene, 'webhooks', '--limit', '1');
    expect(shown.out).toMatch(/ off since \S+ {2}0 waiting, 2 given up\ngiven up {2}[^\n]+\n$/);
    expect(shown.err).toContain('1 of the 2 that were given up are listed, the last ones first.');
    expect((await run(scene, 'webhooks', '--limit', '1001')).code).toBe(2);
    const moved = await runMiftah(['webhooks', 'list'], withoutHooks(scene));
    expect(moved.out).toContain('not in CLIENTS_FILE  0 waiting, 2 given up');

    hook.answer = () => 204;
    const [receiver] = await listOf(scene);
    const why = ['--reason', 'ticket 4711'];
    expect((await run(scene, 'webhooks', 'enable', receiver?.receiver ?? '', ...why)).code).toBe(0);
    const { findings } = diagnosisIn(await run(scene, 'doctor', '--json'));
    const found = findings.find(({ check }) => check === 'webhooks');
    expect(found?.severity).toBe('warning');
    expect(found?.what).toMatch(
      /^2 webhooks were given up for receiver\.test:\d+ of bank, and can/,
    );
    const one = (await listOf(scene)).find(({ given_up: id }) => id?.startsWith(attemptId));
    const again = await run(scene, 'webhooks', 'replay', one?.given_up ?? '', ...why);
    expect(again.out).toBe('1 webhook will be sent again.\n');
    const { out } = await run(scene, 'audit', '--action', 'webhooks.', '--json');
    const rows = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(rows.map(({ action, client, reason }) => [action, client, reason])).toEqual([
      ['webhooks.switched_on', 'bank', 'ticket 4711'],
      ['webhooks.replayed', 'bank', 'ticket 4711'],
    ]);
    expect(Object.values(rows[1] ?? {})).toContain(attemptId);
  });

  it('what waits for a receiver that is no more in the file is listed', async () => {
    const hook = await outside();
    hook.answer = () => 500;
    const scene = await openHooked([hookAt(hook.port)]);
    await endOne(scene);
    const listed = async () => (await run(scene, 'webhooks')).out;
    await expect.poll(listed).toContain('answered 500 after 1 try');
    const { findings } = diagnosisIn(await run(scene, 'doctor', '--json'));
    const found = findings.filter(({ check }) => check === 'webhooks');
    // Nothing waits for an hour yet, and the reason is there to be read.
    expect(found.map(({ severity }) => severity)).toEqual(['ok']);
    expect(found[0]?.what).toMatch(
      /^1 receiver\. 1 webhook waits for receiver\.test:\d+ of bank, /,
    );
    expect(found[0]?.what).toMatch(/, the oldest since \S+: answered 500 after \d tr(?:y|ies)\.$/);
    const { out } = await runMiftah(['webhooks'], withoutHooks(scene));
    expect(out).toMatch(/^bank {2}\w{16} {2}not in CLIENTS_FILE {2}1 waiting since .* to nobody/m);
  });

  it('the doctor finds that every user may read the file with the secrets', async () => {
    const hook = await outside();
    const scene = await openHooked([hookAt(hook.port)]);
    const examined = async () =>
      severityOf(diagnosisIn(await run(scene, 'doctor', '--json')), 'clients.file');
    expect(await examined()).toEqual(['ok']);
    const file = scene.settings['CLIENTS_FILE'] ?? '';
    for (const path of [file, dirname(file)]) chmodSync(path, 0o755);
    expect(await examined()).toEqual(['fault']);
  });

  it('says what is missing, and shows neither a secret nor an address', async () => {
    const hook = await outside();
    const scene = await openHooked([`${hookAt(hook.port)}?key=of-the-receiver`]);
    const said = await Promise.all([
      run(scene, 'webhooks'),
      run(scene, 'webhooks', 'list', '--json'),
      run(scene, 'doctor', '--json'),
    ]);
    for (const { out, err } of said) {
      expect(out + err).not.toContain(HOOK_SECRET);
      expect(out + err).not.toContain('of-the-receiver');
    }
    expect((await run(scene, 'webhooks', 'replay')).code).toBe(2);
    expect((await run(scene, 'webhooks', 'replay', '--all')).code).toBe(2);
    const unknown = await run(scene, 'webhooks', 'replay', 'no-such-id');
    expect(unknown.code).toBe(1);
    expect(unknown.err).toContain('Nothing like that was given up: `miftah webhooks` lists');
    const misspelt = await run(scene, 'webhooks', 'replay', '--all', '--client', 'bnk');
    expect(misspelt.err).toContain('No client bnk has a receiver in CLIENTS_FILE. There are bank.');
    const other = await run(scene, 'webhooks', 'enable', 'xyz');
    expect(other.err).toContain('There is no such receiver: `miftah webhooks` lists them.');
    const { out, err } = await run(scene, 'webhooks', 'secret');
    expect(out).toMatch(/^whsec_[A-Za-z0-9+/]{43}=\n$/);
    expect(err).toContain('not shown again');
  });
});
