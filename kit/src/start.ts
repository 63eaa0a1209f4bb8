import process from 'node:process';
import { CLIENT, SIMULATOR_KEY, type Client } from './clients.ts';
import { PEOPLE, SEED, USUAL_SEED, type NewPerson } from './people.ts';
import { isMoment, isObject, listOf, optionsOf, requireUse, type Rule } from './options.ts';
import { openTestMiftah, type TestMiftah } from './test-miftah.ts';

export interface StartOptions {
  /** Whether it asks for everything that live mode asks for. By default not. */
  readonly strict?: boolean | undefined;
  /**
   * Whether it is an OpenID Provider too, with `url` as its issuer: by default where a client has
   * `openid`. Without clients there are `demo` and `demo-web`, with the secret `mfk_test_demo_web`.
   */
  readonly openid?: boolean | undefined;
  /** The applications that may use it. By default one, for any address of this machine. */
  readonly clients?: readonly Client[] | undefined;
  /**
   * Invented people beside those of every instance, or changes of those; or how many to invent:
   * `person-1` and so on.
   */
  readonly people?: readonly NewPerson[] | number | undefined;
  /** Which people are invented, where `people` is a number: others for each seed. By default 1. */
  readonly seed?: number | undefined;
  /** Its time stands still at this moment until `clock` moves it. By default it goes on from now. */
  readonly now?: Date | undefined;
}

/**
 * Runs the service with its simulator in this process, on a free port of 127.0.0.1. Everything is in
 * memory, nothing is printed, and nothing is left after `stop()`.
 * @throws Error in production, for `NODE_ENV`; TypeError for options that can't be
 */
export async function startMiftah(options: StartOptions = {}): Promise<TestMiftah> {
  requireUse(
    'startMiftah',
    arguments,
    [START],
    isObject(options) && 'port' in options ? OWN_PORT : '',
  );
  requirePopulation(options);
  refuseProduction();
  requireNode();
  const { strict = false, people = [], seed = USUAL_SEED, clients, now } = options;
  const { openid = clients?.some((client) => client.openid !== undefined) ?? false } = options;
  // Those who only connect do not load the service.
  const { openInProcess } = await import('./in-process.ts');
  const { origin, close } = await openInProcess({
    isStrict: strict,
    isOpenid: openid,
    clients: clients ?? null,
    population: typeof people === 'number' ? { count: people, seed } : null,
  });
  const clientKey = strict && clients === undefined ? SIMULATOR_KEY : undefined;
  try {
    const newPeople = typeof people === 'number' ? [] : people;
    const start = { newPeople, now: now ?? null, ownsClock: true };
    const known = { clientKey, withKey: strict ? withKeys(clients) : [] };
    return await openTestMiftah({ origin, scope: null, token: null, ...known, ...start, close });
  } catch (error) {
    await close();
    throw error;
  }
}

function withKeys(clients: readonly Client[] = []): readonly string[] {
  return clients.filter(({ keys = [] }) => keys.length > 0).map(({ id }) => id);
}

const YES_OR_NO: Rule<boolean> = {
  says: 'is true or false',
  holds: (value): value is boolean => typeof value === 'boolean',
};

export const START: Rule<StartOptions> = optionsOf<StartOptions>({
  strict: YES_OR_NO,
  openid: YES_OR_NO,
  people: PEOPLE,
  seed: SEED,
  clients: listOf('is a list of clients', CLIENT),
  now: { says: 'is a Date', holds: isMoment },
});

/** A seed that decides nothing would be found late. */
function requirePopulation({ people, seed }: StartOptions): void {
  if (seed === undefined || typeof people === 'number') return;
  throw new TypeError(
    'startMiftah: seed is for invented people, and needs people to be how many: { people: 5000, seed: 7 }.',
  );
}

const OWN_PORT = ' It takes a free port of 127.0.0.1 by itself: url and baseUrl name it.';

/** There anybody could sign in as anybody. */
function refuseProduction(): void {
  if (process.env['NODE_ENV'] !== 'production') return;
  throw new Error(
    'startMiftah is for tests: with NODE_ENV=production it does not start, because everybody could ' +
      'sign in as anybody. Run the tests with another NODE_ENV.',
  );
}

/** The oldest Node that has everything that the service uses. */
const OLDEST_NODE = 24;

function requireNode(): void {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) >= OLDEST_NODE) return;
  throw new Error(
    `startMiftah needs Node ${OLDEST_NODE} or newer, and this is ${node}. connectMiftah() runs on ` +
      'this one, with a Miftah that another Node runs.',
  );
}
