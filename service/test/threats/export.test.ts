import { BUILT_IN_PEOPLE } from '@miftah/simulator/engine';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/at-end.ts';
import { emptyDatabase } from '../support/postgres/databases.ts';
import { clientForTest } from '../support/programs/for-test.ts';
import { runMiftah } from '../support/programs/operator.ts';
import { openListening } from '../support/service/listening-service.ts';

const VISITOR =
  BUILT_IN_PEOPLE.all.find(({ documentType }) => documentType === 'visa') ??
  expect.unreachable('nobody has a visa');

interface Export {
  readonly user: { readonly id: number; readonly documentType: string };
  readonly attempts: readonly { readonly attemptId: string }[];
  readonly tokens: readonly unknown[];
  readonly leftOut: unknown;
}

/** The visitor comes back with a border number that has the same digits. */
async function changeDocument(origin: string): Promise<void> {
  const people = `${origin}/simulator/people`;
  const { data } = (await (await fetch(people)).json()) as { data: { id: string }[] };
  const row = data.find(({ id }) => id === VISITOR.id);
  const changed = await fetch(`${people}/${VISITOR.id}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...row, document_type: 'border' }),
  });
  expect(changed.status, await changed.text()).toBe(200);
}

test.each(['SQLite', 'PostgreSQL'])(
  'threat 109, in %s: of a visa and a border number that are equal, each export has its own',
  async (engine) => {
    const settings = {
      DATA_DIR: temporaryFolder('export'),
      SECRET_KEY: 'ab'.repeat(32),
      BUDGETS: 'on',
      ...(engine === 'SQLite' ? {} : { DATABASE_URL: await emptyDatabase() }),
    };
    const service = await openListening({ settings });
    const client = clientForTest(service);
    const start = () => client.start({ national_id: VISITOR.nationalId, locale: 'en' });
    const signIn = async () => {
      const attempt = await start();
      await client.post('/complete-mfa', { attempt_id: attempt.attempt_id });
      const { token } = await client.token(attempt);
      const { json } = await client.get('/user', { authorization: `Bearer ${token}` });
      return { attempt, id: (json as { data: { id: number } }).data.id };
    };
    const exported = async (id: number) => {
      const { code, out, err } = await runMiftah(['user', 'export', String(id)], settings);
      expect(code, err).toBe(0);
      return { out, err, json: JSON.parse(out) as Export };
    };

    const visa = await signIn();
    expect(await exported(visa.id)).toMatchObject({
      err: '',
      json: { leftOut: { attempts: 0, pushes: 0, audit: 0 } },
    });
    await changeDocument(service.origin);
    const border = await signIn();
    expect(border.id).not.toBe(visa.id);
    const nobodys = await start();

    for (const [own, other] of [
      [visa, border],
      [border, visa],
    ] as const) {
      const { out, err, json } = await exported(own.id);
      expect(json.user.id).toBe(own.id);
      expect(json.attempts).toEqual([
        expect.objectContaining({ attemptId: own.attempt.attempt_id }),
      ]);
      expect(json.tokens).toHaveLength(1);
      for (const { attempt_id } of [other.attempt, nobodys]) expect(out).not.toContain(attempt_id);
      expect(json.leftOut).toEqual({ attempts: 1, pushes: 1, audit: 1 });
      expect(err).toContain('Left out: 1 attempt, 1 push, 1 row of the audit log.');
    }
    expect((await runMiftah(['user', 'erase', String(visa.id), '--yes'], settings)).code).toBe(0);
    const left = await exported(border.id);
    expect(left.json.attempts).toEqual([
      expect.objectContaining({ attemptId: border.attempt.attempt_id }),
    ]);
    expect((await runMiftah(['audit', '--verify'], settings)).code).toBe(0);
  },
);

/** Clears the screen, CSI as one character, and turns the text around. */
const STEERS = '\u001b[2J\u007f\u009b31m\u2028\u202e\u2066\u061c';
const STEERING = /(?!\n)[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

test('threat 118: what an application and the provider have sent steers no terminal', async () => {
  const settings = { DATA_DIR: temporaryFolder('export'), SECRET_KEY: 'ab'.repeat(32) };
  const service = await openListening({ settings });
  const client = clientForTest(service);
  const attempt = await client.start({ national_id: VISITOR.nationalId, locale: 'en' });
  await client.post('/complete-mfa', { attempt_id: attempt.attempt_id });
  await client.token(attempt, { device_name: STEERS });
  const { out } = await runMiftah(['user', 'export', '1'], settings);
  expect(out).not.toMatch(STEERING);
  expect(JSON.parse(out)).toMatchObject({ tokens: [{ deviceName: STEERS }] });
});
