import { describe, expect, it } from 'vitest';
import { BUILT_IN_PEOPLE } from '../src/engine/people/built-in-people.ts';
import { personRow, type PersonRow } from '../src/engine/people/people-file.ts';
import { decisionCall, makeApp, pushCall, sessionCall, type AppBench } from './support/apps.ts';
import { AMAL, FAISAL } from './support/engines.ts';

/** People at run time, and the scopes that keep them apart. */

const [AMAL_ROW, FAISAL_ROW] = BUILT_IN_PEOPLE.all.map((one) => personRow(one, BUILT_IN_PEOPLE));
const NAME = { full: 'Noor Albadil', first: 'Noor', second: null, third: null, last: 'Albadil' };
const NOOR = { ...FAISAL_ROW, id: 'noor', national_id: '1000012201', english_name: NAME };
const of = (scope: string) => ({ 'x-miftah-scope': scope });

const put = ({ app }: AppBench, id: string, payload: object, headers = {}) =>
  app.inject({ method: 'PUT', url: `/simulator/people/${id}`, payload, headers });
const remove = ({ app }: AppBench, id: string, headers = {}) =>
  app.inject({ method: 'DELETE', url: `/simulator/people/${id}`, headers });
const read = ({ app }: AppBench, id: string, headers = {}) =>
  app.inject({ method: 'GET', url: `/simulator/people/${id}`, headers });

async function idsOf({ app }: AppBench, headers = {}): Promise<readonly string[]> {
  const answer = await app.inject({ method: 'GET', url: '/simulator/people', headers });
  return answer.json<{ data: PersonRow[] }>().data.map(({ id }) => id);
}

describe('people at run time', () => {
  it('are added, read, changed and removed', async () => {
    const bench = makeApp();
    expect((await put(bench, 'noor', NOOR)).json()).toEqual({ data: NOOR });
    expect((await read(bench, 'noor')).json()).toEqual({ data: NOOR });
    expect(await idsOf(bench)).toContain('noor');
    const { id: _id, ...withoutId } = { ...NOOR, assurance_level: 1 };
    expect((await put(bench, 'noor', withoutId)).json()).toMatchObject({
      data: { id: 'noor', assurance_level: 1 },
    });
    const removed = await remove(bench, 'noor');
    expect([removed.statusCode, removed.json<{ data: PersonRow }>().data.id]).toEqual([
      200,
      'noor',
    ]);
    const gone = await read(bench, 'noor');
    expect([gone.statusCode, gone.json()]).toMatchObject([404, { code: 'people.not_found' }]);
    expect((await remove(bench, 'noor')).statusCode).toBe(404);
  });

  it('have exactly one default, which another person takes over', async () => {
    const bench = makeApp();
    const refused = await remove(bench, 'amal');
    expect([refused.statusCode, refused.json()]).toMatchObject([409, { code: 'people.default' }]);
    const dropped = await put(bench, 'amal', { ...AMAL_ROW, default: false });
    expect(dropped.statusCode).toBe(422);
    expect(dropped.json<{ message: string }>().message).toContain('put them with "default": true');
    expect((await put(bench, 'noor', { ...NOOR, default: true })).statusCode).toBe(200);
    expect((await read(bench, 'amal')).json()).toMatchObject({ data: { default: false } });
    expect((await remove(bench, 'amal')).statusCode).toBe(200);
  });

  it.each([
    ['a member of another type', { assurance_level: '3' }, '/assurance_level: must be integer'],
    ['another gender', { gender: 'X' }, '/gender: must be one of M, F'],
    ['an unknown member', { nick: 'x' }, ' The body must not have "nick"'],
    [
      'missing ones',
      { email: undefined, about: undefined },
      ' The body must have "about", "email". ',
    ],
    ['the id of somebody else', { id: 'faisal' }, '/id: must be noor, as in the address'],
    [
      'the number of somebody else',
      { national_id: FAISAL },
      "/national_id: 1000002201 is somebody else's",
    ],
    ['a reserved number', { national_id: '1900000010' }, 'those that begin with 19000000'],
    ['a document of another kind', { document_type: 'iqama' }, 'is not a iqama number'],
    [
      'a name that is not its parts',
      { arabic_name: NAME, english_name: { ...NAME, full: 'x' } },
      '/english_name/full: is not its parts',
    ],
  ])(
    'are neither added nor changed by %s, and the answer says what is wrong',
    async (_what, change, fault) => {
      const bench = makeApp();
      const answer = await put(bench, 'noor', { ...NOOR, ...change });
      expect([answer.statusCode, answer.json()]).toMatchObject([
        422,
        { code: 'validation.failed' },
      ]);
      expect(answer.json<{ message: string }>().message).toContain(fault);
      expect(await idsOf(bench)).not.toContain('noor');
      await put(bench, 'noor', NOOR);
      expect((await put(bench, 'noor', { ...NOOR, ...change })).statusCode).toBe(422);
      expect((await read(bench, 'noor')).json()).toEqual({ data: NOOR });
    },
  );

  it('are refused with each fault at its member, for forms', async () => {
    const broken = { ...NOOR, gender: 'X', nick: 'x', arabic_name: { ...NAME, first: 7 } };
    const answer = await put(makeApp(), 'noor', broken);
    expect(answer.json()).toMatchObject({
      violations: [
        { pointer: '', message: 'must not have "nick"' },
        { pointer: '/arabic_name/first', message: 'must be string' },
        { pointer: '/gender', message: 'must be one of M, F' },
      ],
    });
    const other = await put(makeApp(), 'noor', { ...NOOR, national_id: FAISAL });
    expect(other.json()).toMatchObject({ violations: [{ pointer: '/national_id' }] });
  });

  it.each(['[]', '"x"', 'null', '7'])('are not made of %s', async (payload) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await makeApp().app.inject({
      method: 'PUT',
      url: '/simulator/people/noor',
      payload,
      headers,
    });
    expect(answer.statusCode).toBe(422);
  });

  it.each(['outcome-10', 'Noor', 'a'.repeat(33), '1'])('can’t be called %s', async (id) => {
    expect((await put(makeApp(), id, { ...NOOR, id })).statusCode).toBe(422);
  });
});

async function approvedBy(bench: AppBench, nationalId: string, headers = {}): Promise<unknown> {
  const answer = await bench.app.inject({ ...pushCall({ nationalId, service: 'Login' }), headers });
  if (answer.statusCode !== 200) return answer.json<{ code: string }>().code;
  const [prompt] = bench.engine.prompts({ scope: headers['x-miftah-scope' as never] ?? 'default' });
  const decided = await bench.app.inject(
    decisionCall(prompt?.id ?? '', { decision: 'approve' }, headers),
  );
  return decided.json<{ data: { person: string } }>().data.person;
}

describe('area B', () => {
  it('knows the people as they are now', async () => {
    const bench = makeApp();
    expect(await approvedBy(bench, NOOR.national_id)).toBe('422-016-023');
    await put(bench, 'noor', NOOR);
    expect(await approvedBy(bench, NOOR.national_id)).toBe('noor');
    await remove(bench, 'noor');
    expect(await approvedBy(bench, NOOR.national_id)).toBe('422-016-023');
  });

  it('shows them on the sign-in page, on which nobody else can sign in', async () => {
    const bench = makeApp();
    await put(bench, 'noor', NOOR);
    await remove(bench, 'faisal');
    const { url } = (await bench.app.inject(sessionCall())).json<{ url: string }>();
    const page = await bench.app.inject(url);
    expect(page.payload).toContain('person-noor');
    expect(page.payload).not.toContain('person-faisal');
    const state = new URL(url).searchParams.get('state') ?? '';
    const form = await bench.app.inject({
      method: 'POST',
      url: '/authservice/authorize?ui_locales=en',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ state, decision: 'approve', person: 'faisal' }).toString(),
    });
    expect(form.statusCode).toBe(400);
    expect(bench.engine.signIn(state)?.stage).toBe('open');
  });

  it('lets somebody who was removed meanwhile answer as who they were', async () => {
    const bench = makeApp();
    await bench.app.inject(pushCall({ nationalId: FAISAL, service: 'Login' }));
    const [prompt] = bench.engine.prompts();
    await remove(bench, 'faisal');
    const call = decisionCall(prompt?.id ?? '', { decision: 'approve' });
    expect((await bench.app.inject(call)).json()).toMatchObject({ data: { person: 'faisal' } });
  });
});

describe('a scope', () => {
  it('has people of its own', async () => {
    const bench = makeApp();
    await put(bench, 'noor', NOOR, of('a'));
    await remove(bench, 'faisal', of('a'));
    expect(await idsOf(bench, of('a'))).toContain('noor');
    expect(await idsOf(bench, of('a'))).not.toContain('faisal');
    for (const headers of [{}, of('b'), of('default')]) {
      expect(await idsOf(bench, headers)).toEqual(BUILT_IN_PEOPLE.all.map(({ id }) => id));
      expect((await read(bench, 'noor', headers)).statusCode).toBe(404);
    }
  });

  it('is as at the start after a reset, which touches no other one', async () => {
    const bench = makeApp();
    for (const scope of ['a', 'b']) await put(bench, 'noor', NOOR, of(scope));
    await bench.app.inject(pushCall({ nationalId: AMAL, service: 'Login' }));
    const reset = { method: 'POST', url: '/simulator/reset', headers: of('a') } as const;
    const answer = await bench.app.inject(reset);
    expect([answer.statusCode, answer.json()]).toEqual([200, { data: { scope: 'a', prompts: 0 } }]);
    expect(await idsOf(bench, of('a'))).not.toContain('noor');
    expect(await idsOf(bench, of('b'))).toContain('noor');
    expect(bench.engine.prompts()).toHaveLength(1);
  });

  it('has nothing that waits after a reset, and its people can be asked again', async () => {
    const bench = makeApp();
    const push = pushCall({ nationalId: AMAL, service: 'Login' });
    await bench.app.inject(push);
    const answer = await bench.app.inject({ method: 'POST', url: '/simulator/reset', payload: {} });
    expect(answer.json()).toEqual({ data: { scope: 'default', prompts: 1 } });
    expect(bench.engine.prompts()).toEqual([]);
    expect((await bench.app.inject(push)).statusCode).toBe(200);
  });

  it('can’t move the clock, which all scopes share', async () => {
    const { app } = makeApp();
    const call = { method: 'POST', url: '/simulator/clock', payload: { advance: '5m' } } as const;
    const refused = await app.inject({ ...call, headers: of('a') });
    expect([refused.statusCode, refused.json()]).toMatchObject([
      409,
      { code: 'clock.of_instance' },
    ]);
    const time = await app.inject({ method: 'GET', url: '/simulator/clock', headers: of('a') });
    expect(time.statusCode).toBe(200);
  });

  const CALLS = [
    ['GET', '/simulator/people'],
    ['GET', '/simulator/people/amal'],
    ['PUT', '/simulator/people/noor'],
    ['DELETE', '/simulator/people/faisal'],
    ['GET', '/simulator/prompts'],
    ['POST', '/simulator/prompts/x/decision'],
    ['GET', '/simulator/wait?until=prompt&national_id=1000001101&timeout=0'],
    ['GET', '/simulator/next'],
    ['POST', '/simulator/next'],
    ['GET', '/simulator/faults'],
    ['PUT', '/simulator/faults'],
    ['POST', '/simulator/reset'],
    ['POST', '/simulator/clock'],
  ] as const;
  const BODIES: Record<string, object> = {
    '/simulator/people/noor': NOOR,
    '/simulator/prompts/x/decision': { decision: 'refuse' },
    '/simulator/clock': { freeze: 'now' },
    '/simulator/next': { outcome: 'refuses' },
    '/simulator/faults': { faults: [] },
  };

  it.each(CALLS)(
    '%s %s refuses a name that is none, and says what is allowed',
    async (method, url) => {
      const { app } = makeApp();
      for (const scope of ['', 'A', 'a_b', 'a, b', 'x'.repeat(65)]) {
        const payload = BODIES[url];
        const body = payload === undefined || method === 'GET' ? {} : { payload };
        const answer = await app.inject({ method, url, headers: of(scope), ...body });
        expect([answer.statusCode, answer.json()]).toMatchObject([
          422,
          { code: 'validation.failed' },
        ]);
        expect(answer.json<{ message: string }>().message).toContain('X-Miftah-Scope is 1 to 64');
      }
    },
  );

  it('that would be one too many is refused with what to do', async () => {
    const bench = makeApp();
    await put(bench, 'noor', NOOR);
    const { directory } = bench.engine.scopes.of('default');
    for (let one = 1; one < 1000; one += 1) {
      bench.engine.scopes.change(`scope-${one}`, { directory });
    }
    const answer = await put(bench, 'noor', NOOR, of('one-more'));
    expect([answer.statusCode, answer.json()]).toMatchObject([409, { code: 'scopes.full' }]);
    expect(answer.json<{ remedy: string }>().remedy).toContain('POST /simulator/reset');
    expect(answer.json<{ message: string }>().message).toContain(
      'Scopes that keep something: 1000, of at most 1000; at most 5000 changed people in all. A restart',
    );
    await bench.app.inject({ method: 'POST', url: '/simulator/reset', headers: of('scope-7') });
    expect((await put(bench, 'noor', NOOR, of('one-more'))).statusCode).toBe(200);
  });
});
