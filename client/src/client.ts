import { StartedAttempt, type ExportedAttempt } from './attempt.ts';
import { ask, checked, jsonOf, send, type Call, type Connection } from './connection.ts';
import { Login, type LoginOptions, type SessionStore } from './login.ts';
import { randomKey } from './platform.ts';
import type {
  Attempt,
  BrowserAttempt,
  Calls,
  Introspection,
  PhoneAttempt,
  StartOptions,
  TokenUser,
} from './types.ts';
import { addressOf, checkUse, has, START_OPTIONS } from './wire.ts';

export interface ClientOptions {
  /** The address of the API: `https://sign-in.example/api/v1`. In a page it may be relative. */
  readonly baseUrl: string | URL;
  /** The key of a confidential client. It belongs on a server: in a browser this throws. */
  readonly clientKey?: string | undefined;
  /** Instead of the global `fetch`. */
  readonly fetch?: typeof fetch;
}

/** A client of one service. */
export interface Miftah extends Calls {
  /** The rules for a back end that signs people in. */
  createLogin(sessionStore: SessionStore, options?: LoginOptions): Login;
}

/**
 * @throws TypeError for an option that is not known, for a `baseUrl` that is no address, for a
 * `clientKey` that has characters which no key has, and for any `clientKey` in a browser
 */
export function createClient(options: ClientOptions): Miftah;
// JavaScript may leave the options or the address out, as when a variable of the environment is not set.
export function createClient(options: Partial<ClientOptions> = {}) {
  checkUse('createClient', options, 'baseUrl, clientKey, fetch');
  const { baseUrl, clientKey, fetch: own } = options;
  if (clientKey && isInHandsOfUsers()) {
    throw new TypeError('clientKey is a secret of a server');
  }
  return new Client({
    base: baseOf(baseUrl),
    clientKey,
    fetch: own ?? ((address, init) => fetch(address, init)),
  });
}

/** A page, a worker of a page, or an app: whoever has the device can read what is in it. */
function isInHandsOfUsers(): boolean {
  const { navigator }: { navigator?: { product?: string } } = globalThis;
  const isApp = navigator?.product === 'ReactNative';
  return isApp || 'document' in globalThis || 'importScripts' in globalThis;
}

/**
 * In a page the address may be relative. The error does not show a wrong address, because it may be
 * a key that was given by mistake.
 */
function baseOf(baseUrl: string | URL | undefined): string {
  const address = baseUrl && addressOf(baseUrl, globalThis.location?.href);
  if (address && /^https?:$/.test(address.protocol)) {
    return address.origin + address.pathname.replace(/\/+$/, '');
  }
  const given = baseUrl ? '' : `, not ${JSON.stringify(baseUrl)}`;
  throw new TypeError(
    `baseUrl must begin with http:// or https://, as http://127.0.0.1:3000/api/v1${given}`,
  );
}

/** The answer of a start. */
interface Started {
  readonly attemptId: string;
  readonly attemptToken: string;
  readonly expiresAt: Date;
  readonly random?: string;
  readonly randomExpiresAt?: Date;
  readonly authorizationUrl?: string;
}

class Client implements Miftah {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  start(options: StartOptions & { readonly nationalId: string }): Promise<PhoneAttempt>;
  start(options: StartOptions & { readonly nationalId?: never }): Promise<BrowserAttempt>;
  async start(options: Partial<StartOptions> = {}, ...more: never[]): Promise<Attempt> {
    checkUse('start', options, START_OPTIONS, ...more);
    const { locale, nationalId, returnAddress, endUserAddress } = options;
    if (locale === undefined) throw new TypeError('locale must be ar or en');
    // Where a field of a form was forgotten, somebody else could sign in by the browser.
    if ('nationalId' in options && typeof nationalId !== 'string') {
      throw new TypeError('nationalId must be a text, or left out');
    }
    const call: Call = {
      method: 'POST',
      path: '/start',
      bearer: this.#connection.clientKey,
      headers: { 'x-end-user-address': endUserAddress },
      body: { locale, national_id: nationalId, return_address: returnAddress },
    };
    const {
      attemptId: id,
      attemptToken: token,
      ...data
    } = await ask<Started>(this.#connection, call, 'attemptId', 'attemptToken', 'expiresAt');
    const flow = data.random ? 'mfa' : 'oidc';
    return new StartedAttempt(this.#connection, { ...data, id, token, flow, key: randomKey() });
  }

  resume(exported: string): Attempt {
    const kept = jsonOf(exported);
    if (!has<ExportedAttempt>(kept, 'id', 'token', 'flow', 'expiresAt', 'key')) {
      throw new TypeError('No text of attempt.export()');
    }
    return new StartedAttempt(this.#connection, kept);
  }

  user(token: string): Promise<TokenUser> {
    return ask(this.#connection, { path: '/user', bearer: token }, 'id', 'clientId');
  }

  async introspect(token: string): Promise<Introspection> {
    const call: Call = {
      method: 'POST',
      path: '/introspect',
      bearer: this.#connection.clientKey,
      body: { token },
    };
    const found = checked<Introspection>(await send(this.#connection, call), 'active');
    return found.active ? checked<Introspection>(found, 'issuedAt', 'expiresAt') : found;
  }

  async revoke(token: string): Promise<void> {
    await send(this.#connection, { method: 'DELETE', path: '/token', bearer: token });
  }

  createLogin(sessionStore: SessionStore, options: LoginOptions = {}): Login {
    return new Login(this, sessionStore, options);
  }
}
