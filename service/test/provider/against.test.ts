import { lazySerializers } from '@miftah/schema/compilers';
import { simulator } from '@miftah/simulator/app';
import {
  blocksInMemory,
  BUILT_IN_PEOPLE,
  CLAIM_PROFILES,
  defaultSettings,
  Engine,
  type ClaimProfileName,
} from '@miftah/simulator/engine';
import { systemClock, systemRandom, systemTimer } from '@miftah/simulator/platform';
import fastify from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { parseCredential } from '../../src/config/values.ts';
import type { Comparison } from '../../src/operate/against/drift.ts';
import { createRandom, systemTimer as timer } from '../../src/platform/runtime.ts';
import { DEADLINE_MS, holdDeadline } from '../support/held-deadline.ts';
import { keysMadeOnce } from '../support/provider/simulator.ts';
import { inBoth } from '../support/provider/provider-under-test.ts';
import { compareWithSimulator } from '../../src/operate/against/against.ts';
import {
  cut,
  json,
  openAreaB,
  raw,
  redirectTo,
  route,
  silence,
  text,
  type Script,
} from '../support/provider/area-b.ts';

const KEYS = { appId: 'doctor-test', appKey: 'key-of-the-doctor' };
const FAISAL = '1000002201';
const PROFILES = Object.keys(CLAIM_PROFILES) as readonly ClaimProfileName[];

interface There {
  readonly profile?: ClaimProfileName;
  readonly pushStatus?: 200 | 201;
  readonly twoDigits?: boolean;
  readonly anyKeys?: boolean;
}

/** The simulator as another program would run it, with an operator's settings. */
async function openThere(there: There) {
  const { profile = 'reported', pushStatus = 200, twoDigits = true, anyKeys = false } = there;
  // As the simulator's own server has it: each test makes an application, and uses few of its routes.
  const app = fastify({
    schemaController: { compilersFactory: { buildSerializer: lazySerializers() } },
  });
  const asked: string[] = [];
  app.addHook('onRequest', async ({ method, url }) => void asked.push(`${method} ${url}`));
  const settings = {
    ...defaultSettings('http://127.0.0.1:1'),
    claimForms: CLAIM_PROFILES[profile],
    bindingCodeLength: twoDigits ? 2 : 6,
  };
  const parts = { clock: systemClock, random: systemRandom, references: blocksInMemory() };
  await app.register(simulator, {
    engine: new Engine({ settings, people: BUILT_IN_PEOPLE, ...parts }),
    timer: systemTimer,
    control: { publicUrl: 'http://127.0.0.1:1' },
    keys: keysMadeOnce(),
    credentials: anyKeys ? null : KEYS,
    pushStatus,
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => app.close());
  const approve = async (address: string, person: string) => {
    const state = new URL(address).searchParams.get('state') ?? '';
    const payload = new URLSearchParams({ state, person, decision: 'approve' }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    await app.inject({
      method: 'POST',
      url: '/authservice/authorize?ui_locales=en',
      payload,
      headers,
    });
  };
  return { url, asked, approve };
}

interface Wanted {
  readonly identity?: string;
  readonly environment?: Record<string, string>;
  readonly onTell?: (line: string) => void;
}

/** What `miftah doctor --against` finds. With `onTell` it waits for a sign-in. */
function against(url: string, wanted: Wanted = {}): Promise<Comparison> {
  const { identity = null, environment = {}, onTell } = wanted;
  const [appId, appKey] = [parseCredential(KEYS.appId), parseCredential(KEYS.appKey)];
  const access = {
    url,
    pathPrefixes: inBoth('/stg'),
    appId,
    appKey,
    service: 'Login',
    simulator: environment,
  };
  return compareWithSimulator(
    access,
    { identity, signIn: onTell !== undefined },
    {
      clock: systemClock,
      random: createRandom(),
      timer,
      everyMs: 5,
      deadlineMs: DEADLINE_MS,
      tell: onTell ?? (() => undefined),
    },
  );
}

const differing = ({ drifts }: Comparison) => drifts.filter(({ differs }) => differs);

describe('miftah doctor --against a simulator with the same settings', () => {
  it.each(PROFILES)('finds no drift, in the claims either: PROFILE=%s', async (profile) => {
    const there = await openThere({ profile, pushStatus: 201 });
    const environment = { PROFILE: profile, PUSH_STATUS: '201' };
    const onTell = (line: string) => void there.approve(line.split(': ')[1] ?? '', 'kusuma');
    const found = await against(there.url, { identity: FAISAL, environment, onTell });
    expect(found.fault).toBeNull();
    expect(differing(found)).toEqual([]);
    expect(found.drifts.map(({ probe }) => probe)).toContain('sign-in');
    expect(found.drifts.length).toBeGreaterThan(15);
  });

  it('sends no push, opens no path but those of area B, and asks nobody twice', async () => {
    const there = await openThere({});
    await against(there.url);
    expect(there.asked.filter((one) => one.includes('/mfa/request?'))).toEqual([]);
    expect(there.asked.every((one) => / \/stg\/api\//.test(one))).toBe(true);
    expect(there.asked.length).toBeLessThan(20);
    await against(there.url, { identity: FAISAL });
    expect(there.asked.filter((one) => one.includes('/mfa/request?'))).toHaveLength(1);
  });
});

const OF_WEB = PROFILES.filter((name) => name.startsWith('web-'));

describe('miftah doctor --against a simulator with other settings', () => {
  it.each(atLength(OF_WEB, OF_WEB.slice(0, 2)))(
    'finds drift in the claims alone, and names the profile: %s',
    async (profile) => {
      const there = await openThere({ profile });
      const onTell = (line: string) => void there.approve(line.split(': ')[1] ?? '', 'lukas');
      const drifts = differing(await against(there.url, { identity: FAISAL, onTell }));
      expect(drifts.length).toBeGreaterThan(0);
      expect(new Set(drifts.map(({ probe }) => probe))).toEqual(new Set(['sign-in']));
      expect(drifts.every(({ at }) => at?.startsWith('claims.'))).toBe(true);
      expect(new Set(drifts.map(({ set }) => set))).toEqual(new Set([`PROFILE=${profile}`]));
      expect(new Set(drifts.map(({ label }) => label))).toEqual(new Set(['reported']));
    },
  );

  it('finds another status of an accepted push, and says what to set', async () => {
    const there = await openThere({ pushStatus: 201 });
    const drifts = differing(await against(there.url, { identity: FAISAL }));
    expect(drifts).toMatchObject([
      { probe: 'push', at: 'status', simulator: '200', there: '201', set: 'PUSH_STATUS=201' },
    ]);
  });

  it('finds that any keys are taken once, and says what to set', async () => {
    const there = await openThere({ anyKeys: true });
    expect(differing(await against(there.url, { identity: FAISAL }))).toMatchObject([
      {
        probe: 'keys, wrong; keys, none',
        behaviour: expect.stringMatching(/^gateway: else 403/) as string,
        at: 'status',
        simulator: '403',
        there: '200',
        set: 'APP_ID= and APP_KEY= (empty: any keys are taken)',
      },
    ]);
  });

  it('finds another length of the number, for which there is no setting', async () => {
    const there = await openThere({ twoDigits: false });
    const drifts = differing(await against(there.url, { identity: FAISAL }));
    expect(drifts).toMatchObject([
      { at: 'body.random', simulator: '2 digits', there: '6 digits', set: null },
    ]);
    expect(drifts[0]?.behaviour).toBe('push: `random` has two digits');
  });
});

const KEY_SET = { keys: [{ kty: 'RSA', e: 'AQAB', use: 'sig', kid: 'k', alg: 'RS256', n: 'abc' }] };
/** The first question is answered, so that the rest is asked. */
const after =
  (rest: Script): Script =>
  (call, response) =>
    (call.path.endsWith('/jwk') && call.headers['app-id'] === KEYS.appId ? json(KEY_SET) : rest)(
      call,
      response,
    );
const HUGE = Buffer.alloc(2 * 1024 * 1024, 0x20);
const JSON_TYPE = { 'content-type': 'application/json' };

/** Repeats all that it was sent, as values and as names. */
const echo: Script = (call, response) => echoBeside({}, 200)(call, response);

function echoBeside(answer: object, status: number): Script {
  return (call, response) => {
    const { headers, query, body, path } = call;
    const secret = String(headers['app-key']);
    // A name with an escape is no JSON that is read (strict-json.ts).
    const names = { [secret]: 1, [FAISAL]: FAISAL, text: '\u001b[31m' };
    const first = { ...names, note: secret, message: `${FAISAL} ${secret}`, code: secret };
    json({ ...first, ...answer, headers, query, body, path }, status)(call, response);
  };
}

const RECORD = { status: '401', timestamp: null, reference: 1 };
const wide = {
  ...KEY_SET,
  ...Object.fromEntries(
    Array.from({ length: 400 }, (_, i) => [`m${'x'.repeat(i % 30)}${i % 7}`, i]),
  ),
};

describe('miftah doctor --against a provider that misbehaves', () => {
  it.each<[string, Script, string]>([
    ['silence', silence, 'timeout (deadline)'],
    ['a closed connection', cut, 'lost ('],
  ])('%s can not be compared with', async (_name, script, reason) => {
    const { url } = await openAreaB(script === silence ? holdDeadline() : script);
    const found = await against(url);
    expect(found.fault).toContain(reason);
    expect(found.drifts).toEqual([]);
  });

  it.each<[number, string]>([
    [403, 'PROVIDER_APP_ID'],
    [401, 'PROVIDER_APP_ID'],
    [404, 'PROVIDER_PATH_PREFIX'],
  ])('status %s to the first question names %s', async (status, setting) => {
    const { url, calls } = await openAreaB(text('No', status));
    expect((await against(url)).fault).toContain(setting);
    expect(calls).toHaveLength(1);
  });

  it.each<[string, Script, Record<string, string>]>([
    ['a page', raw('<p>It works</p>', 200, { 'content-type': 'text/html' }), { body: 'a page' }],
    ['huge JSON', raw(HUGE, 200, JSON_TYPE), { body: 'more than 256 KiB' }],
    ['broken JSON', raw('{"a":', 200, JSON_TYPE), { body: 'JSON that can’t be read' }],
    ['a list', json([1, 2, 3]), { body: 'a list' }],
    ['silence', silence, { status: 'no answer: timeout (deadline)' }],
    ['a cut answer', cut, {}],
    [
      'another type',
      raw('x', 200, { 'content-type': 'text/1000002201' }),
      { 'content type': 'another' },
    ],
  ])('%s is drift: every other question differs', async (_name, script, forms) => {
    const { url } = await openAreaB(after(script === silence ? holdDeadline() : script));
    const found = await against(url, { identity: FAISAL });
    const probes = new Set(found.drifts.map(({ probe }) => probe));
    expect(found.fault).toBeNull();
    expect(new Set(differing(found).map(({ probe }) => probe)).size).toBeGreaterThan(
      probes.size - 3,
    );
    for (const [place, form] of Object.entries(forms)) {
      expect(differing(found).some(({ at, there }) => at === place && there === form)).toBe(true);
    }
  });

  it('follows no redirect, and says that there is one', async () => {
    const elsewhere = await openAreaB(json({}));
    const { url } = await openAreaB(after(redirectTo(`${elsewhere.url}/`)));
    const found = await against(url);
    expect(elsewhere.calls).toEqual([]);
    expect(differing(found)).toContainEqual(
      expect.objectContaining({ at: 'header location', there: 'there', simulator: 'not there' }),
    );
  });

  it.each<[string, Script]>([
    ['in place of every answer', after(echo)],
    // Answers of the same kind are compared member by member.
    ['beside the signing keys', echoBeside(KEY_SET, 200)],
    ['beside an error record', after(echoBeside({ ...RECORD, code: '401-033-024' }, 401))],
    ['as four hundred members', route({ '/api/v1/mfa/jwk': json(wide) })],
  ])('repeats no key, no number and no escape: %s', async (_name, script) => {
    const { url } = await openAreaB(script);
    const found = await against(url, { identity: FAISAL });
    const said = JSON.stringify(found);
    expect(differing(found).length).toBeGreaterThan(0);
    for (const secret of [KEYS.appKey, FAISAL, '\u001b', String.raw`\u001b`]) {
      expect(said).not.toContain(secret);
    }
    expect(said.length).toBeLessThan(60_000);
  });

  it.each([
    `https://${KEYS.appKey}.example.test/?state=s`,
    `https://a.example.test/?state=s&k=%256b${KEYS.appKey.slice(1)}`,
  ])('shows no address that has the app key: %s', async (address) => {
    const session = json({ url: address });
    const { url } = await openAreaB(after(route({ '/api/v2/oidc/session': session })));
    const told: string[] = [];
    await against(url, { onTell: (line) => told.push(line) });
    expect(told.join('')).toMatch(/^No sign-in: [\w ]+ has the app key in it\.$/);
  });

  it('ends when nobody signs in', async () => {
    const there = await openThere({});
    const told: string[] = [];
    const found = await against(there.url, { onTell: (line) => told.push(line) });
    expect(found.drifts.map(({ probe }) => probe)).not.toContain('sign-in');
    expect(told.at(-1)).toBe('Nobody has signed in, so no claims were compared.');
  });
});

it('wrong settings of the simulator are told', async () => {
  const there = await openThere({});
  await expect(against(there.url, { environment: { PROFILE: 'none' } })).rejects.toThrow(/PROFILE/);
});
