import { createClient, MiftahError, type Miftah } from '@miftah/client';
import { browserOf, DEFAULT_SCOPE, type BrowserOfMiftah } from './browser.ts';
import { CLIENT_KEY, type ClientOptions } from './clients.ts';
import { clockOf, type ClockOfMiftah } from './clock.ts';
import { controlApi, type ControlApi } from './control-api.ts';
import { FAULTS_RULE, setFaults, type FaultRule, type SetFault } from './faults.ts';
import { guarded, OF_HOOK, optionsOf, requireUse, textThat } from './options.ts';
import type { OutcomeKey } from './outcome-key.ts';
import {
  PERSON,
  putPeople,
  readPeople,
  removePerson,
  type NewPerson,
  type People,
} from './people.ts';
import { openidOf, type OpenidOfMiftah } from './openid.ts';
import { phoneOf, type Phone } from './phone.ts';
import { WebhookQueue, webhooksOf, type Webhooks } from './webhooks.ts';
import { WAIT_RULES, waitForState, type WaitedState, type WaitOptions } from './wait-for.ts';
import type { AttemptOrId } from './which.ts';

const BASE_PATH = '/api/v1';

export interface ConnectedTo {
  readonly origin: string;
  /** Null: the scope `default`. */
  readonly scope: string | null;
  readonly token: string | null;
  readonly clientKey: string | undefined;
  /** The clients of which one has to prove itself by its key, where they are known. */
  readonly withKey: readonly string[];
  /** Who is there at the beginning, beside those of every instance. */
  readonly newPeople: readonly NewPerson[];
  /** Where the time stands at the beginning; null where it goes on. */
  readonly now: Date | null;
  /** Whether a reset is of the clock too: it belongs to all who use the instance. */
  readonly ownsClock: boolean;
  /** Ends what was started for it. */
  readonly close: () => Promise<void>;
}

interface NextOptions {
  /** The seconds after which the person acts. */
  readonly after?: number | undefined;
}

/** A Miftah with its simulator, and what the people at its other end do. */
export interface TestMiftah extends AsyncDisposable {
  /** Its origin. */
  readonly url: string;
  /** The address for the application under test: `{origin}/api/v1`, or that of the scope. */
  readonly baseUrl: string;
  /** The part of the instance that it has. In another than `default` an OpenID client is `demo-web@left`. */
  readonly scope: string;
  /** The invented people, by their ids: `people.amal.nationalId`. */
  readonly people: People;
  readonly phone: Phone;
  readonly browser: BrowserOfMiftah;
  readonly clock: ClockOfMiftah;
  /** Of an instance that is an OpenID Provider too: what an OpenID client has to refuse. */
  readonly openid: OpenidOfMiftah;
  /** What the application under test is told. */
  readonly webhooks: Webhooks;
  /** A client of this Miftah. @throws TypeError for other options */
  client(options?: ClientOptions): Miftah;
  /**
   * Resolves when the attempt is in the state, which an exchange for a token does not end.
   * @throws Error with the state that it is in
   */
  waitFor(attempt: AttemptOrId, state: WaitedState, options?: WaitOptions): Promise<void>;
  /**
   * Chooses what happens in the next attempt, by the key of an outcome: `refuses`. Each call is for
   * one more attempt.
   */
  next(outcome: OutcomeKey, options?: NextOptions): Promise<void>;
  /**
   * What becomes of the calls to the provider: `{ operation: 'mfa_request', status: 503, rate: 0.5,
   * seed: 1 }`, or a list of rules. `[]` ends all faults. Without rules, those that
   * are set, with their counts.
   */
  faults(rules?: FaultRule | readonly FaultRule[]): Promise<readonly SetFault[]>;
  /** Adds a person, or changes the one with this id. */
  putPerson(person: NewPerson): Promise<void>;
  /** @throws TypeError that names who is there, where there is no such person */
  removePerson(id: string): Promise<void>;
  /**
   * Everything is as at the beginning, and nothing waits: people, queued outcomes, faults; of an
   * instance that was started here also the time. Attempts and tokens stay.
   */
  reset(): Promise<void>;
  /** Stops what was started. May be called again. */
  stop(): Promise<void>;
}

/** @throws Error when no Miftah with a simulator is there */
export async function openTestMiftah(at: ConnectedTo): Promise<TestMiftah> {
  const { origin, clientKey: ownKey, withKey, newPeople, now, ownsClock } = at;
  const control = controlApi(at);
  const clock = clockOf(control);
  const queue = new WebhookQueue(control);
  await putPeople(control, newPeople);
  let people = await readPeople(control);
  const changing = async (change: Promise<(known: People) => People>) => {
    const changed = await change;
    people = changed(people);
  };
  if (now !== null) await clock.freeze(now);
  if (!ownsClock) await queue.begin();
  const baseUrl = origin + (at.scope === null ? '' : `/scopes/${at.scope}`) + BASE_PATH;
  const scope = at.scope ?? DEFAULT_SCOPE;
  const stop = stopOf(control, at);
  const miftah: TestMiftah = {
    url: origin,
    baseUrl,
    scope,
    get people() {
      return people;
    },
    phone: phoneOf(control, () => people),
    browser: browserOf({ origin, baseUrl, scope, people: () => people }),
    clock,
    openid: openidOf(control),
    webhooks: webhooksOf(queue),
    client(options = {}) {
      requireUse('client', arguments, [CLIENT]);
      const { clientKey = ownKey } = options;
      const client = createClient({ baseUrl, clientKey });
      return clientKey === undefined && withKey.length > 0 ? namingKey(client, withKey) : client;
    },
    waitFor: (attempt, state, options) => waitForState(control, attempt, state, options),
    next: async (outcome, { after } = {}) =>
      void (await control.call('queueNext', { body: { outcome, after } })),
    faults: (rules) => setFaults(control, rules),
    putPerson: (person) => changing(putPeople(control, [person])),
    removePerson: (id) => changing(removePerson(control, id, people)),
    async reset() {
      // Before: what has expired at the moved time would wait again at the earlier one.
      if (ownsClock) await clock.reset();
      if (ownsClock && now !== null) await clock.freeze(now);
      await control.call('resetScope');
      queue.forget();
      await putPeople(control, newPeople);
      people = await readPeople(control);
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
  return guarded(miftah, RULES);
}

/** The service speaks of a header, which nobody writes here. */
function namingKey(client: Miftah, ids: readonly string[]): Miftah {
  const start = client.start.bind(client);
  const named = async (...given: Parameters<Miftah['start']>) => {
    try {
      return await start(...given);
    } catch (error) {
      if (!(error instanceof MiftahError) || error.code !== 'client.unauthenticated') throw error;
      const { code, status, requestId, problem } = error;
      const detail = `This Miftah is strict: client({ clientKey }), with a key of ${ids.join(' or ')}.`;
      throw new MiftahError({ code, detail, status, requestId, ...(problem && { problem }) });
    }
  };
  return Object.assign(client, { start: named });
}

const CLIENT = optionsOf<ClientOptions>({ clientKey: CLIENT_KEY });

const RULES = {
  waitFor: WAIT_RULES,
  next: [
    {
      name: 'outcome',
      says: 'is the key of an outcome, such as refuses (a reserved national id is given to start() instead)',
      holds: (outcome: unknown): outcome is OutcomeKey =>
        typeof outcome === 'string' && /^[a-z]/.test(outcome),
    },
    optionsOf<NextOptions>({
      after: {
        says: 'is a number of seconds',
        holds: (after): after is number => Number.isFinite(after),
      },
    }),
  ],
  faults: [FAULTS_RULE],
  putPerson: [{ name: 'person', ...PERSON }],
  removePerson: [{ name: 'id', ...textThat('is the id of a person') }],
  reset: OF_HOOK,
  stop: OF_HOOK,
} as const;

function stopOf(control: ControlApi, { scope, close }: ConnectedTo): () => Promise<void> {
  let stopping: Promise<void> | null = null;
  const leave = async () => {
    // An instance keeps what a scope has of its own until it is reset.
    if (scope !== null) await control.call('resetScope').catch(() => undefined);
    control.stop();
    await close();
  };
  return () => (stopping ??= leave());
}
