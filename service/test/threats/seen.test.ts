import { beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/programs/until.ts';
import { LiveClient } from '../support/live/live-client.ts';
import { miftah } from '../support/programs/operator.ts';
import { PersonBrowser } from '../support/live/person-browser.ts';
import { BANK_KEY, rehearse, type Rehearsed } from '../support/live/rehearsal.ts';
import { logIn, redeemed, signIn } from '../support/live/live-login.ts';
import { openRehearsal, shareRehearsal } from '../support/live/shared-rehearsal.ts';

/** The traces that an operator can see of an attack, and what the operator can do against it. */

const rehearsal = shareRehearsal();
let bank: LiveClient;
beforeAll(() => void (bank = new LiveClient(rehearsal(), BANK_KEY)));

interface Row {
  readonly action: string;
  readonly attemptId: string | null;
  readonly client: string | null;
  readonly detail: string | null;
}

async function auditOf(of: Rehearsed = rehearsal()): Promise<Row[]> {
  const { out } = await miftah(of, ['audit', '--json']);
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
}

async function actionsOf(attemptId: string): Promise<string[]> {
  const rows = await auditOf();
  return rows.filter((row) => row.attemptId === attemptId).map(({ action }) => action);
}

async function counted(name: string): Promise<number> {
  const answer = await fetch(`${rehearsal().service.origin}/metrics`);
  const [, number] = new RegExp(`^${name} (\\d+)$`, 'm').exec(await answer.text()) ?? [];
  return Number(number);
}

/** The service gives a text of the last second again. */
const untilCounted = (name: string, least: number) =>
  until(async () => (await counted(name)) >= least);

const codeOf = async (token: string) => (await bank.user(token)).code;

describe('threat 7: bulk approval fishing, as the operator sees it', () => {
  it('a push that no budget allows is counted, and is in the audit log', async () => {
    const before = await counted('push_suppressed_total');
    const person = '1000003301';
    expect((await bank.start({ national_id: person })).status).toBe(200);
    expect((await bank.start({ national_id: person })).status).toBe(429);
    await untilCounted('push_suppressed_total', before + 1);
    const suppressed = (await auditOf()).filter(({ action }) => action === 'push.suppressed');
    expect(suppressed.at(-1)).toMatchObject({ client: 'bank' });
  });
});

describe('threat 5: login CSRF, as the operator sees it', () => {
  it('a return in another browser is counted, and is in the audit log with its attempt', async () => {
    const before = await counted('browser_mismatch_total');
    const [own, other] = [new PersonBrowser(), new PersonBrowser()];
    const started = await bank.startRedirect();
    const page = await own.launch(started.authorization_url);
    const refused = await other.open(await own.returnFrom(page, 'amal'));
    expect(refused.status).toBe(403);
    await untilCounted('browser_mismatch_total', before + 1);
    expect(await actionsOf(started.attempt_id)).toContain('attempt.spoiled');
  });
});

describe('threat 11: a redemption once more, as the operator sees it', () => {
  it('is in the audit log, after the token that was issued', async () => {
    const finished = await signIn(bank);
    expect((await redeemed(bank, finished)).status).toBe(200);
    const again = await redeemed(bank, finished);
    expect([again.status, again.code]).toEqual([409, 'attempt.already_redeemed']);
    expect((await actionsOf(finished.started.attempt_id)).slice(-2)).toEqual([
      'token.issued',
      'token.replayed',
    ]);
  });
});

describe('threat 21: trying out national ids, as the operator sees it', () => {
  it('a run of unknown numbers is in the audit log once', async () => {
    await using own = await openRehearsal();
    const client = new LiveClient(own, BANK_KEY);
    const numbers = Array.from({ length: 30 }, (_, index) => String(1_444_000_000 + index));
    await Promise.all(numbers.map((number) => client.start({ national_id: number })));
    const suspected = (await auditOf(own)).filter(
      ({ action }) => action === 'enumeration.suspected',
    );
    expect(suspected).toHaveLength(1);
    expect(suspected[0]).toMatchObject({ client: 'bank' });
  });
});

describe('threat 35: the provider answers with another person, as the operator sees it', () => {
  it('the attempt fails for that reason, and the log has an alarm beside it', async () => {
    const before = await counted('push_mismatch_total');
    const started = await bank.startPhone('1900000053');
    await until(async () => (await bank.status(started)).data['status'] === 'failed');
    const rows = (await auditOf()).filter(({ attemptId }) => attemptId === started.attempt_id);
    const told = rows.map(({ action, detail }) => `${action} ${detail ?? ''}`.trim());
    expect(told).toEqual(
      expect.arrayContaining(['attempt.failed provider.mismatch', 'provider.mismatch']),
    );
    await untilCounted('push_mismatch_total', before + 1);
  });
});

describe('threat 48: tokens and people that were stopped', () => {
  it('a disabled person is stopped at once, at redemption too, and after kill -9', async () => {
    await using own = await rehearse();
    const client = new LiveClient(own, BANK_KEY);
    const token = await logIn(client, 'faisal');
    const waiting = await signIn(client, 'faisal');
    const { data } = await client.user(token);
    const { id } = data as { id: number };
    expect((await miftah(own, ['user', 'disable', String(id)])).code).toBe(0);
    expect((await client.user(token)).code).toBe('token.invalid');
    expect((await redeemed(client, waiting)).code).toBe('user.disabled');
    await own.service.kill();
    await (await own.spawnAgain()).ready();
    expect((await client.user(token)).code).toBe('token.invalid');
    expect((await redeemed(client, waiting)).code).toBe('user.disabled');
    expect((await redeemed(client, await signIn(client, 'faisal'))).code).toBe('user.disabled');
  });

  it('after a revocation of everything no token is good, new ones are', async () => {
    const token = await logIn(bank, 'lukas');
    expect(await codeOf(token)).toBe('');
    expect((await miftah(rehearsal(), ['revoke', '--all'])).code).toBe(0);
    expect(await codeOf(token)).toBe('token.invalid');
    expect(await codeOf(await logIn(bank, 'lukas'))).toBe('');
  });
});
