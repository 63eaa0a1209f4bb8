import { CLIENT_KEY, SIMULATOR_KEY } from './clients.ts';
import { isObject, optionsOf, requireUse, secretThat, textThat, type Rule } from './options.ts';
import { openTestMiftah, type TestMiftah } from './test-miftah.ts';

export interface ConnectOptions {
  /**
   * The part of the instance that this test has for itself: 1 to 64 of a-z, 0-9 and `-`. Without it
   * the scope `default`.
   */
  readonly scope?: string | undefined;
  /** `SIMULATOR_TOKEN` of the instance, where it asks for one. */
  readonly token?: string | undefined;
  /** What `client()` uses. By default the public key of the simulator's own client. */
  readonly clientKey?: string | undefined;
}

/** As the API takes it: the kit imports nothing of it. */
export const SCOPE: RegExp = /^[a-z0-9-]{1,64}$/;
const API_PATH = /^(?:\/scopes\/(?<scope>[a-z0-9-]{1,64}))?(?:\/api\/v1)?\/?$/;

/**
 * Uses a Miftah that runs already, as by `npx miftah dev`.
 * @param url its origin: `http://127.0.0.1:3000`; or the address of its API, which may name a scope:
 * `http://127.0.0.1:3000/scopes/left/api/v1`
 * @throws TypeError for options that can't be; Error when no Miftah with a simulator answers there
 */
export async function connectMiftah(
  url: string | URL,
  options: ConnectOptions = {},
): Promise<TestMiftah> {
  requireUse('connectMiftah', arguments, [{ ...ADDRESS, name: 'url' }, OPTIONS]);
  const { scope, token = null, clientKey = ownKey() } = options;
  const address = addressOf(url);
  if (scope !== undefined && address.scope !== null && scope !== address.scope) {
    throw new TypeError(
      `The address names the scope "${address.scope}", and the option scope "${scope}": say one.`,
    );
  }
  return openTestMiftah({
    origin: address.origin,
    scope: scope ?? address.scope,
    token,
    clientKey,
    withKey: [],
    newPeople: [],
    now: null,
    ownsClock: false,
    close: leave,
  });
}

/** A test with a simulated page has none: there the client takes no key, not even a public one. */
function ownKey(): string | undefined {
  return 'document' in globalThis ? undefined : SIMULATOR_KEY;
}

/** @throws TypeError */
function addressOf(url: string | URL): { readonly origin: string; readonly scope: string | null } {
  if (URL.canParse(url)) {
    const { origin, protocol, pathname } = new URL(url);
    const path = API_PATH.exec(pathname);
    if (path !== null && /^https?:$/.test(protocol)) {
      return { origin, scope: path.groups?.['scope'] ?? null };
    }
  }
  throw new TypeError(
    'connectMiftah takes the origin of an instance, http://127.0.0.1:3000, with or without ' +
      '/api/v1 or /scopes/NAME/api/v1.',
  );
}

export const ADDRESS: Rule<string | URL> = {
  says: 'is the address of an instance, such as http://127.0.0.1:3000',
  holds: (url): url is string | URL => typeof url === 'string' || isObject(url),
};

export const TOKEN: Rule<string> = secretThat('is the SIMULATOR_TOKEN of the instance');

const OPTIONS = optionsOf<ConnectOptions>({
  scope: textThat('is 1 to 64 of a-z, 0-9 and "-"', SCOPE),
  token: TOKEN,
  clientKey: CLIENT_KEY,
});

/** The instance goes on: others use it too. */
async function leave(): Promise<void> {
  // Nothing was started.
}
