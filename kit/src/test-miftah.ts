import { createClient, type Miftah } from '@miftah/client';
import { browserOf, type BrowserOfMiftah } from './browser.ts';
import { clockOf, type ClockOfMiftah } from './clock.ts';
import { ControlApi } from './control-api.ts';
import { readPeople, type People } from './people.ts';
import { phoneOf, type Phone } from './phone.ts';
import { waitForState, type WaitedState } from './wait-for.ts';

const BASE_PATH = '/api/v1';

export interface ConnectedTo {
  readonly origin: string;
  /** Null: the scope `default`. */
  readonly scope: string | null;
  readonly token: string | null;
  readonly clientKey: string | undefined;
  /** Ends what was started for it. */
  readonly close: () => Promise<void>;
}

/** A Miftah with its simulator, and what the people at its other end do. */
export interface TestMiftah extends AsyncDisposable {
  /** Its origin. */
  readonly url: string;
  /** The address for the application under test: `{origin}/api/v1`, or that of the scope. */
  readonly baseUrl: string;
  /** The invented people, by their ids: `people.amal.nationalId`. */
  readonly people: People;
  readonly phone: Phone;
  readonly browser: BrowserOfMiftah;
  readonly clock: ClockOfMiftah;
  /** A client of this Miftah. @param options `clientKey`: by default that of the simulator's client */
  client(options?: { readonly clientKey?: string | undefined }): Miftah;
  /**
   * Resolves when the attempt is in the state, which an exchange for a token does not end.
   * @param options `timeout`: milliseconds, by default 5000
   * @throws Error with the state that it is in
   */
  waitFor(
    attempt: string | { readonly id: string },
    state: WaitedState,
    options?: { readonly timeout?: number | undefined },
  ): Promise<void>;
  /** Stops what was started. May be called again. */
  stop(): Promise<void>;
}

/** @throws Error when no Miftah with a simulator is there */
export async function openTestMiftah(at: ConnectedTo): Promise<TestMiftah> {
  const { origin, scope, token, clientKey: ownKey } = at;
  const control = new ControlApi({ origin, scope, token });
  const people = await readPeople(control);
  const baseUrl = origin + (scope === null ? '' : `/scopes/${scope}`) + BASE_PATH;
  let stopping: Promise<void> | null = null;
  const stop = () => {
    control.stop();
    return (stopping ??= at.close());
  };
  return {
    url: origin,
    baseUrl,
    people,
    phone: phoneOf(control, () => people),
    browser: browserOf({ origin, baseUrl, people: () => people }),
    clock: clockOf(control),
    client: ({ clientKey = ownKey } = {}) => createClient({ baseUrl, clientKey }),
    waitFor: (attempt, state, options) => waitForState(control, attempt, state, options),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
