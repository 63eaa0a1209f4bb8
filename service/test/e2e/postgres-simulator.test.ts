import { describe, expect, test } from 'vitest';
import { share, type AtEnd } from '../support/at-end.ts';
import { ledTo } from '../support/led-to.ts';
import { emptyDatabase } from '../support/postgres/databases.ts';
import { ApiClient, dataOf, type Started } from '../support/programs/api-client.ts';
import { startService } from '../support/programs/service-process.ts';
import { until } from '../support/programs/until.ts';
import { openListening } from '../support/service/listening-service.ts';

const SECRET_KEY = 'ab'.repeat(32);
const AMAL = '1000001101';
const JSON_BODY = { 'content-type': 'application/json' };

interface Prompt {
  readonly id: string;
  readonly kind: string;
  readonly request_id: string;
  readonly national_id: string | null;
  readonly random: string | null;
}

interface Instance {
  readonly client: ApiClient;
  /** Ends it without a word to the others, where it is a process of its own. */
  kill(): Promise<unknown>;
}

/** Three instances of simulator mode on one database, of which the first may be a process. */
async function three(
  atEnd: AtEnd,
  isFirstAlone = false,
): Promise<readonly [Instance, Instance, Instance]> {
  const settings = { DATABASE_URL: await emptyDatabase(atEnd), SECRET_KEY };
  const open = async (isAlone = false): Promise<Instance> => {
    const service = isAlone
      ? await startService({ settings })
      : await openListening({ settings }, atEnd);
    const client = new ApiClient(service.origin);
    const kill = async () => ('kill' in service ? service.kill() : undefined);
    atEnd(async () => {
      client.close();
      await kill();
    });
    return { client, kill };
  };
  return Promise.all([open(isFirstAlone), open(), open()]);
}

async function promptsAt(
  { client }: Instance,
  { attempt_id }: Started,
): Promise<readonly Prompt[]> {
  const path = `/simulator/prompts?request_id=${attempt_id}`;
  return dataOf(await client.send('GET', path)) as readonly Prompt[];
}

function decideAt({ client }: Instance, promptId: string, body: object) {
  const path = `/simulator/prompts/${promptId}/decision`;
  return client.send('POST', path, JSON_BODY, JSON.stringify(body));
}

async function statusAt({ client }: Instance, started: Started): Promise<unknown> {
  return (dataOf(await client.status(started)) as { status: unknown }).status;
}

describe('a prompt of any instance', () => {
  const instances = share((atEnd) => three(atEnd));

  test('of the phone flow is listed and approved at the second, and redeemed at the third', async () => {
    const [one, two, other] = instances();
    const started = await one.client.start({ national_id: AMAL, locale: 'en' });
    const listed = await promptsAt(two, started);
    expect(listed).toMatchObject([{ kind: 'push', national_id: AMAL, random: started.random }]);
    expect(await promptsAt(other, started)).toEqual(listed);
    const [prompt] = listed;
    const decided = await decideAt(two, prompt?.id ?? '', { decision: 'approve' });
    expect(decided.json).toMatchObject({ data: { state: 'approved', person: 'amal' } });
    expect(await statusAt(other, started)).toBe('authenticated');
    expect(await promptsAt(one, started)).toEqual([]);
    expect((await decideAt(one, prompt?.id ?? '', { decision: 'refuse' })).status).toBe(409);
    expect((await other.client.token(started)).token).toMatch(/^mft_test_/);
  });

  test('of the redirect flow is refused at the second, and rejected at the third', async () => {
    const [one, two, other] = instances();
    const started = await one.client.start({ locale: 'ar' });
    const [prompt] = await promptsAt(two, started);
    expect(prompt).toMatchObject({ kind: 'redirect', request_id: started.attempt_id });
    expect((await decideAt(two, prompt?.id ?? '', { decision: 'refuse' })).status).toBe(200);
    expect(await statusAt(other, started)).toBe('rejected');
  });

  test('that is ignored at one is listed nowhere, and can still be decided', async () => {
    const [one, two, other] = instances();
    const started = await one.client.start({ national_id: AMAL, locale: 'en' });
    expect((await decideAt(two, started.attempt_id, { decision: 'ignore' })).status).toBe(200);
    await until(async () => (await promptsAt(other, started)).length === 0);
    expect(await statusAt(other, started)).toBe('pending');
    expect((await decideAt(other, started.attempt_id, { decision: 'approve' })).status).toBe(200);
    expect(await statusAt(one, started)).toBe('authenticated');
  });
});

describe('a prompt of an instance that died', () => {
  const scene = share(async (atEnd) => {
    const [one, two, other] = await three(atEnd, true);
    const redirect = await one.client.start({ locale: 'ar' });
    const phone = await one.client.start({ national_id: '1900000002', locale: 'en' });
    await one.kill();
    // The answer, some seconds after the start, comes from nobody who is still there.
    expect(await statusAt(two, phone)).toBe('pending');
    return { two, other, redirect, phone };
  });

  test('has its sign-in page at every other one', async () => {
    const { two, other, redirect } = scene();
    const page = await two.client.get(`/callback?state=${redirect.attempt_id}`);
    expect(page.status).toBe(200);
    expect(page.text).toContain('data-testid="approve"');
    const form = { state: redirect.attempt_id, person: 'faisal', decision: 'approve' };
    const answer = await other.client.postForm('/callback/sign-in', form);
    expect(answer.status).toBe(200);
    const way = new URL(String(ledTo(answer.headers)));
    const completion_code = way.searchParams.get('completion_code') ?? '';
    const issued = await two.client.token(redirect, { completion_code });
    expect(issued.user.national_id).toBe('1000002201');
  });

  test('that somebody answers later, by the number, is answered all the same', async () => {
    const { two, other, phone } = scene();
    await until(async () => (await statusAt(two, phone)) === 'authenticated');
    expect(await statusAt(other, phone)).toBe('authenticated');
  });
});
