import { beforeAll, describe, expect, it } from 'vitest';
import {
  connectMiftah,
  miftahFixture,
  startMiftah,
  type BrowserOfMiftah,
  type Client,
  type ClockOfMiftah,
  type ConnectOptions,
  type FaultRule,
  type Phone,
  type StartOptions,
  type TestMiftah,
  type Webhooks,
} from '../src/index.ts';
import { share } from './support/instances.ts';
import { LAYLA } from './support/people.ts';

/**
 * Every call of the kit takes what its types have and nothing else. The compiler refuses the tables
 * when they lack a method, an argument or an option, or have one that the types do not have.
 */

type Call = (...given: never) => unknown;

type Table<Methods> = {
  readonly [
    Name in keyof Methods & string as Methods[Name] extends Call ? Name : never
  ]: Methods[Name] extends (...given: infer Given) => unknown ? Whole<Given> : never;
};

/** All arguments, with all options. */
type Whole<Given extends readonly unknown[]> = {
  readonly [Place in keyof Given]-?: Required<Given[Place]>;
};

const NOBODYS = '0199a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b';
const PERSON = { ...LAYLA, default: false };
const CLIENT: Required<Client> = {
  id: 'shop',
  name: { ar: 'متجر', en: 'Shop' },
  type: 'public',
  returnAddresses: ['https://shop.example/return'],
  codeIn: 'query',
  keys: ['mfk_test_shop_of_a_test'],
  keyless: ['oidc'],
  limits: { requestsPerMinute: 60, pushesPerMinute: 10, pushesPerPersonPerDay: 2 },
  webhooks: [
    {
      url: 'https://shop.example/hook',
      secrets: [`whsec_${'c2VjcmV0'.repeat(4)}`],
      events: ['attempt.expired'],
    },
  ],
  openid: {
    redirectUris: ['https://shop.example/cb'],
    postLogoutRedirectUris: [],
    scope: 'openid',
    tokenEndpointAuthMethod: 'none',
    subjectType: 'public',
    idTokenSignedResponseAlg: 'ES256',
    requirePkce: true,
  },
};
const FAULT: FaultRule = { operation: 'session', status: 503, rate: 1, seed: 1, times: 1 };
const START: Required<StartOptions> = {
  strict: false,
  openid: true,
  people: 3,
  seed: 7,
  clients: [CLIENT],
  now: new Date(),
};
const CONNECT: Required<ConnectOptions> = {
  scope: 'a',
  token: 'a',
  clientKey: 'mfk_test_simulator',
};

const MIFTAH: Table<TestMiftah> = {
  client: [{ clientKey: 'mfk_test_simulator' }],
  waitFor: [NOBODYS, 'expired', { timeout: 0 }],
  next: ['refuses', { after: 1 }],
  faults: [[FAULT]],
  putPerson: [PERSON],
  removePerson: ['layla'],
  reset: [],
  stop: [],
};
const PHONE: Table<Phone> = {
  prompts: [],
  approve: [NOBODYS],
  refuse: [NOBODYS],
  notMe: [NOBODYS],
  wrongNumber: [NOBODYS],
  ignore: [NOBODYS],
};
const BROWSER: Table<BrowserOfMiftah> = {
  approve: [NOBODYS, { person: 'amal' }],
  refuse: [NOBODYS],
};
const CLOCK: Table<ClockOfMiftah> = {
  advance: ['5m'],
  freeze: ['now'],
  skew: ['5m'],
  reset: [],
  state: [],
};
const WEBHOOKS: Table<Webhooks> = { next: [{ timeout: 0 }] };
const FUNCTIONS = { startMiftah, connectMiftah, miftahFixture };
const ALONE: Table<typeof FUNCTIONS> = {
  startMiftah: [START],
  miftahFixture: [START],
  connectMiftah: ['http://127.0.0.1:1', CONNECT],
};

const TABLES = [
  ['', ALONE],
  ['', MIFTAH],
  ['phone.', PHONE],
  ['browser.', BROWSER],
  ['clock.', CLOCK],
  ['webhooks.', WEBHOOKS],
] as const;

const ROWS = TABLES.flatMap(([prefix, table]) =>
  Object.entries(table).map(([name, given]: [string, readonly unknown[]]) => ({
    call: prefix + name,
    given,
  })),
);

const named = (prefix: string, methods: object) =>
  Object.entries(methods).map(
    ([name, method]: [string, unknown]) => [prefix + name, method] as const,
  );

/** What a call without the type of its arguments rejects with; null when it does not. */
type Try = (given: readonly unknown[]) => Promise<unknown>;

const miftah = share(false);
let calls: Readonly<Record<string, unknown>>;
beforeAll(() => {
  const { phone, browser, clock, webhooks } = miftah();
  calls = Object.fromEntries([
    ...named('', { ...FUNCTIONS, ...miftah() }),
    ...named('phone.', phone),
    ...named('browser.', browser),
    ...named('clock.', clock),
    ...named('webhooks.', webhooks),
  ]);
});

const failureOf =
  (call: string): Try =>
  async (given) => {
    const method = calls[call];
    if (typeof method !== 'function') throw new Error(`${call} is no method`);
    try {
      await Reflect.apply(method, undefined, given);
      return null;
    } catch (error) {
      return error;
    }
  };

/** Options are the last argument; a person, and a client, is data. */
function optionsIn(given: readonly unknown[]): Readonly<Record<string, unknown>> {
  const last = given.at(-1);
  const isPlain = typeof last === 'object' && last !== null && !Array.isArray(last);
  return isPlain && last !== PERSON ? (last as Record<string, unknown>) : {};
}

describe.each(ROWS)('$call', ({ call, given }) => {
  const failure = failureOf(call);

  it('refuses null in the place of each argument, and says so', async () => {
    for (const place of given.keys()) {
      const failed = await failure(given.with(place, null));
      expect(failed).toBeInstanceOf(TypeError);
      expect(String(failed)).toMatch(
        new RegExp(`^TypeError: ${call}: \\w.* (?:is|are) .+, and not null\\.$`),
      );
    }
  });

  it('refuses null as each option, and says so', async () => {
    const options = optionsIn(given);
    for (const name of Object.keys(options)) {
      const failed = await failure([...given.slice(0, -1), { ...options, [name]: null }]);
      expect(failed).toBeInstanceOf(TypeError);
      expect(String(failed)).toMatch(
        new RegExp(`^TypeError: ${call}: ${name} is .+, and not null\\.$`),
      );
    }
  });

  it('refuses an option that it does not know, and names it', async () => {
    const options = optionsIn(given);
    const known = Object.keys(options);
    const others = known.length === 0 ? given : given.slice(0, -1);
    const failed = await failure([...others, { ...options, nosuch: true }]);
    expect(failed).toBeInstanceOf(TypeError);
    const says = known.length === 0 ? tooMany(given, '{ nosuch }') : `takes ${known.join(', ')}`;
    expect(String(failed)).toMatch(
      new RegExp(`^TypeError: ${call} ${says}(?:, and not nosuch)?\\.$`),
    );
  });

  it.each([
    ['a promise, which has to be awaited', Promise.resolve({})],
    ['a Date', new Date()],
  ])('refuses in the place of options %s', async (shown, value) => {
    if (Object.keys(optionsIn(given)).length === 0) return;
    const failed = await failure([...given.slice(0, -1), value]);
    expect(failed).toBeInstanceOf(TypeError);
    expect(String(failed)).toContain('the options are an object such as');
    expect(String(failed)).toMatch(new RegExp(`, and not ${shown}\\.$`));
  });

  it.each([
    [null, 'null'],
    [1, '1'],
    ['amal', '"amal"'],
    [[NOBODYS], 'a list'],
  ])('refuses one argument more: %j', async (more, shown) => {
    const failed = await failure([...given, more]);
    expect(failed).toBeInstanceOf(TypeError);
    expect(String(failed)).toBe(`TypeError: ${call} ${tooMany(given, shown)}.`);
  });
});

function tooMany({ length }: readonly unknown[], shown: string): string {
  if (length === 0) return `takes no argument, and not ${shown}`;
  return `takes ${length === 1 ? 'one argument' : `${length} arguments`}, and not also ${shown}`;
}

it.each(['clientKey', 'token'])('shows no %s that has a line break', async (name) => {
  const failed = await failureOf('connectMiftah')([
    'http://127.0.0.1:1',
    { [name]: 'mfk_a\nmfk_b' },
  ]);
  expect(failed).toBeInstanceOf(TypeError);
  expect(String(failed)).toMatch(
    new RegExp(`${name} is .+ASCII characters, and not what was given`),
  );
  expect(String(failed)).not.toMatch(/mfk_[ab]/);
});

type Refuse = (...given: unknown[]) => ReturnType<Phone['refuse']>;

it('lets a method be given to a list, and to a hook', async () => {
  const { people } = miftah();
  const start = (nationalId: string) => miftah().client().start({ locale: 'en', nationalId });
  const attempts = await Promise.all([
    start(people.amal.nationalId),
    start(people.yara.nationalId),
  ]);
  const prompts = await Promise.all(attempts.map(calls['phone.refuse'] as Refuse));
  expect(prompts.map(({ attemptId }) => attemptId)).toEqual(attempts.map(({ id }) => id));
  await expect(Promise.all(['amal'].map(calls['phone.prompts'] as Refuse))).rejects.toThrow(
    'phone.prompts takes no argument, and not "amal"',
  );
  // Libraries find fixtures in the source of a hook.
  expect(String(calls['reset'])).toMatch(/^function \(\)/);
  // As vitest before and after all tests, vitest before and after each, and node:test.
  const given = [[{}, { id: 'a', name: 'a' }], [() => undefined], [new EventTarget()]];
  for (const values of given) expect(await failureOf('reset')(values)).toBeNull();
});

it('has a row for each method', () => {
  const methods = Object.keys(calls).filter((name) => typeof calls[name] === 'function');
  expect(ROWS.map(({ call }) => call).toSorted()).toEqual(methods.toSorted());
});

const CLIENTS = (client: unknown) => ({ clients: [client] });
const KEY =
  'is a key (mfk_ and 8 to 252 visible ASCII characters), or the hash of one (sha256: and 64 hex ' +
  'digits in lower case), and not what was given';
const PEOPLE = (person: unknown) => ({ people: [PERSON, person] });
const FAULTS = (fault: unknown) => [FAULT, fault];
const itself = (data: unknown) => data;

describe.each([
  ['a person', PERSON, 'putPerson', 'person', itself],
  ['a person at the start', PERSON, 'startMiftah', 'people[1]', PEOPLE],
  ['a fault', FAULT, 'faults', 'rules', itself],
  ['a fault of several', FAULT, 'faults', 'rules[1]', FAULTS],
  ['a client', CLIENT, 'startMiftah', 'clients[0]', CLIENTS],
] as const)('%s', (_, data, call, place, argumentOf) => {
  const says = async (value: unknown) => {
    const failed = await failureOf(call)([argumentOf(value)]);
    expect(failed).toBeInstanceOf(TypeError);
    return String(failed).replace(`TypeError: ${call}: `, '');
  };
  const members = Object.keys(data);
  const notKnown = async (name: string) => {
    const [all, rest] = (await says({ ...data, [name]: 1 })).split(', and not ');
    expect(all?.replace(`${place} may have `, '').split(', ')).toEqual(
      expect.arrayContaining(members),
    );
    return rest;
  };

  it('has no member that is null', async () => {
    for (const name of members) {
      expect(await says({ ...data, [name]: null })).toMatch(
        new RegExp(`^${RegExp.escape(`${place}.${name}`)} (?:is|has) .+, and not null\\.$`),
      );
    }
  });

  it('has no member that is not known, and says which one is meant', async () => {
    expect(await notKnown('whatever')).toBe('whatever.');
    for (const name of members) {
      const other = /[A-Z]/.test(name)
        ? name.replace(/(?=[A-Z])/, '_').toLowerCase()
        : `${name}${name.at(-1)}`;
      expect(await notKnown(other)).toBe(`${other} (did you mean "${name}"?).`);
      // With another letter a shorter one is another word.
      if (name.length <= 3) continue;
      const wrong = name.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'));
      expect(await notKnown(wrong)).toBe(`${wrong} (did you mean "${name}"?).`);
    }
  });
});

it.each<readonly [call: string, given: unknown, says: string]>([
  ['faults', {}, 'rules must have operation'],
  [
    'faults',
    { operation: 'any', latency_ms: 5 },
    'rules may have operation, status, record, latencyMs, answer, rate, seed, times, and not ' +
      'latency_ms (did you mean "latencyMs"?)',
  ],
  ['faults', [null], 'rules[0] is a fault, and not null'],
  ['startMiftah', { people: [null] }, 'people[0] is a person, and not null'],
  [
    'startMiftah',
    { people: Object.assign([], { 1: PERSON }) },
    'people[0] is a person, and not undefined',
  ],
  [
    'startMiftah',
    { people: [{}] },
    'people[0] must have id, about, nationalId, documentType, arabicName, englishName, gender, ' +
      'nationality, birthDate, email, assuranceLevel, preferredLocale',
  ],
  ['startMiftah', CLIENTS(null), 'clients[0] is a client, and not null'],
  ['startMiftah', CLIENTS({}), 'clients[0] must have id, name, type, returnAddresses'],
  [
    'startMiftah',
    CLIENTS({ ...CLIENT, name: 'Shop' }),
    'clients[0].name is an object such as { ar, en }, and not "Shop"',
  ],
  [
    'startMiftah',
    CLIENTS({ ...CLIENT, name: { ...CLIENT.name, ar: null } }),
    'clients[0].name.ar is text, and not null',
  ],
  [
    'startMiftah',
    CLIENTS({ ...CLIENT, type: 'pubic' }),
    'clients[0].type is one of public, confidential, and not "pubic"',
  ],
  [
    'startMiftah',
    CLIENTS({ ...CLIENT, returnAddresses: ['https://a.example/', null] }),
    'clients[0].returnAddresses[1] is an address, as text, and not null',
  ],
  [
    'startMiftah',
    CLIENTS({ ...CLIENT, keys: 'mfk_a' }),
    'clients[0].keys is a list of keys, and not what was given',
  ],
  ['startMiftah', CLIENTS({ ...CLIENT, keys: ['another secret'] }), `clients[0].keys[0] ${KEY}`],
  ['startMiftah', CLIENTS({ ...CLIENT, keys: ['mfk_1234567'] }), `clients[0].keys[0] ${KEY}`],
  [
    'startMiftah',
    CLIENTS({ ...CLIENT, keys: ['mfk_test_shop_of_a_test', `mfk_${'x'.repeat(253)}`] }),
    `clients[0].keys[1] ${KEY}`,
  ],
  ['startMiftah', CLIENTS({ ...CLIENT, keys: ['sha256:AB'] }), `clients[0].keys[0] ${KEY}`],
  [
    'next',
    '1900000010',
    'outcome is the key of an outcome, such as refuses (a reserved national id is given to ' +
      'start() instead), and not "1900000010"',
  ],
  [
    'phone.approve',
    Promise.resolve(NOBODYS),
    'which is an attempt, a person, the id of one, or a national id, as text, and not a promise, ' +
      'which has to be awaited',
  ],
])('%s refuses %j', async (call, given, says) => {
  const failed = await failureOf(call)([given]);
  expect(failed).toBeInstanceOf(TypeError);
  expect(String(failed)).toBe(`TypeError: ${call}: ${says}.`);
});
