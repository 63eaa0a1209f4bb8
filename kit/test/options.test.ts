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
};
const FAULT: FaultRule = { operation: 'session', status: 503, rate: 1, seed: 1, times: 1 };
const START: Required<StartOptions> = {
  strict: false,
  people: [],
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
  const { phone, browser, clock } = miftah();
  calls = Object.fromEntries([
    ...named('', { ...FUNCTIONS, ...miftah() }),
    ...named('phone.', phone),
    ...named('browser.', browser),
    ...named('clock.', clock),
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
    const says =
      known.length === 0 ? 'has no option nosuch' : `takes ${known.join(', ')}, and not nosuch`;
    expect(String(failed)).toBe(`TypeError: ${call} ${says}.`);
  });
});

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
  // Libraries find fixtures in the source of a hook.
  expect(String(calls['reset'])).toMatch(/^function \(\)/);
});

it('has a row for each method', () => {
  const methods = Object.keys(calls).filter((name) => typeof calls[name] === 'function');
  expect(ROWS.map(({ call }) => call).toSorted()).toEqual(methods.toSorted());
});

/** The instance reads these, and names their members in its own spelling. */
describe.each([
  ['a person', PERSON, 'putPerson', (person: object) => person],
  ['a fault', FAULT, 'faults', (fault: object) => fault],
  ['a client', CLIENT, 'startMiftah', (client: object) => ({ clients: [client] })],
] as const)('%s', (_, data, call, argumentOf) => {
  const failures = (changes: readonly object[]) =>
    Promise.all(changes.map((change) => failureOf(call)([argumentOf({ ...data, ...change })])));

  it('has no member that is null, and none that is not known', async () => {
    const changes = [...Object.keys(data).map((name) => ({ [name]: null })), { noSuch: true }];
    const failed = await failures(changes);
    expect(failed.filter((error) => error instanceof Error)).toHaveLength(changes.length);
  });
});
