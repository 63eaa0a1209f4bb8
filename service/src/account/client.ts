import { hash } from 'node:crypto';
import { type Flow, FLOWS } from '../attempt/flow.ts';
import { USUAL_LIMITS, type ClientLimits } from '../values/limits.ts';
import type { Locale } from '../values/locale.ts';
import type { WebhookReceiver } from '../webhooks/webhook.ts';
import { OPENID_SCOPES, type OpenidClient } from './openid-client.ts';

/**
 * SHA-256 of a whole key, as `sha256:` and 64 hex digits: the form that the clients file contains.
 */
export type ClientKeyHash = `sha256:${string}`;
export const KEY_HASH_FORM = '"sha256:" and 64 hex digits: the hash of a key, never the key';
export const isKeyHash = (text: string): text is ClientKeyHash =>
  /^sha256:[0-9a-f]{64}$/.test(text);

/** Of a client: one in use, and one more while it is being changed. */
export const KEYS_MEANT = 2;

/** An application that may start sign-ins. */
export interface Client {
  readonly id: string;
  readonly name: Readonly<Record<Locale, string>>;
  /**
   * `confidential`: has a back end that keeps a key, and must show the key at the redemption too.
   */
  readonly type: 'public' | 'confidential';
  /** Those that `isReturnAddress` accepts. The first one is used when a start names none. */
  readonly returnAddresses: readonly string[];
  /** Whether a start may also name any address of this machine: only the built-in client's may. */
  readonly returnsToLoopback: boolean;
  /**
   * Whether the completion code is sent back in the query or in the fragment of the return address.
   */
  readonly codeIn: 'query' | 'fragment';
  readonly keys: readonly ClientKeyHash[];
  /** The flows that may be started without a key as this client; only public clients have any. */
  readonly keyless: readonly Flow[];
  readonly limits: ClientLimits;
  /** Where its back end is told of what happens. */
  readonly webhooks: readonly WebhookReceiver[];
  /** Null for an application that does not speak OpenID Connect. */
  readonly openid: OpenidClient | null;
}

const KEY_FORM = /^mfk_[\x21-\x7e]{8,252}$/;

/** Keys are long and random, so nobody can guess one from its hash: no slow hash is needed. */
export function hashClientKey(key: string): ClientKeyHash {
  return `sha256:${hash('sha256', key, 'hex')}`;
}

export function isClientKey(text: string): boolean {
  return KEY_FORM.test(text);
}

/** Public on purpose: it gives access to invented data only. */
export const SIMULATOR_KEY = 'mfk_test_simulator';

/** The client of simulator mode when no clients file is set. */
export function simulatorClient(returnAddress: string): Client {
  return {
    id: 'simulator',
    name: { ar: 'تطبيق تجريبي', en: 'Demo application' },
    type: 'public',
    returnAddresses: [returnAddress],
    returnsToLoopback: true,
    codeIn: 'query',
    keys: [hashClientKey(SIMULATOR_KEY)],
    keyless: FLOWS,
    limits: USUAL_LIMITS,
    webhooks: [],
    openid: null,
  };
}

/** Public on purpose, as `SIMULATOR_KEY` is. */
export const DEMO_SECRET = 'mfk_test_demo_web';

const DEMO_OPENID: OpenidClient = {
  // And any other address of this machine, as the client `simulator` has it.
  redirectUris: ['http://127.0.0.1/callback'],
  postLogoutRedirectUris: [],
  tokenAuthMethod: 'none',
  jwks: [],
  sector: null,
  scopes: OPENID_SCOPES,
  idTokenAlgorithm: 'RS256',
  requiresPkce: true,
  singleSignOn: false,
  backchannelDelivery: null,
  backchannelLogout: null,
};

/** The OpenID clients of plain simulator mode without a clients file. */
export function demoClients(): readonly Client[] {
  const common = { ...simulatorClient(''), returnAddresses: [], keyless: [] };
  return [
    { ...common, id: 'demo', keys: [], openid: DEMO_OPENID },
    {
      ...common,
      id: 'demo-web',
      type: 'confidential',
      keys: [hashClientKey(DEMO_SECRET)],
      openid: {
        ...DEMO_OPENID,
        tokenAuthMethod: 'client_secret_basic',
        backchannelDelivery: { mode: 'poll', notificationEndpoint: null },
      },
    },
  ];
}

/** The same client under live mode's rules: it has a key and must show it at the redemption too. */
export function strictClient(returnAddress: string): Client {
  return { ...simulatorClient(returnAddress), type: 'confidential', keyless: [] };
}

/**
 * For modes in which a key is optional: a start without a key belongs to the first client, except
 * for flows for which another client is keyless.
 */
export function openToAll([first, ...others]: readonly Client[]): readonly Client[] {
  if (first === undefined) return [];
  const taken = new Set(others.flatMap(({ keyless }) => keyless));
  return [{ ...first, keyless: FLOWS.filter((flow) => !taken.has(flow)) }, ...others];
}

interface ClientChange {
  readonly action: 'client.added' | 'client.changed' | 'client.removed';
  readonly client: string;
}

/** What is another client in a list that was read anew: any member of it may have changed. */
export function changesOf(before: readonly Client[], after: readonly Client[]): ClientChange[] {
  const textsOf = (list: readonly Client[]) =>
    new Map(list.map((client) => [client.id, JSON.stringify(client)]));
  const [old, now] = [textsOf(before), textsOf(after)];
  const ids = [...new Set([...old.keys(), ...now.keys()])].filter(
    (id) => old.get(id) !== now.get(id),
  );
  return ids.map((client) => {
    if (!old.has(client)) return { action: 'client.added', client };
    return { action: now.has(client) ? 'client.changed' : 'client.removed', client };
  });
}

/**
 * The clients of a service, as `clients.port.ts` promises them. Finds them by the hash of the key, so
 * that keys themselves are never compared.
 */
export class ClientList {
  #clients: readonly Client[] = [];
  #byId: ReadonlyMap<string, Client> = new Map();
  #byKey: ReadonlyMap<string, Client> = new Map();

  constructor(clients: readonly Client[]) {
    this.replace(clients);
  }

  /** Replaces all clients at once, so that no caller sees a mix of old and new ones. */
  replace(clients: readonly Client[]): void {
    this.#clients = clients;
    this.#byId = new Map(clients.map((client) => [client.id, client]));
    this.#byKey = new Map(clients.flatMap((client) => client.keys.map((key) => [key, client])));
  }

  all(): readonly Client[] {
    return this.#clients;
  }

  /** Texts for people, in the order of the list. */
  names(): readonly string[] {
    return this.#clients.map(({ id, type, openid }) => {
      const shares = openid?.singleSignOn === true ? ', single sign-on' : '';
      return `${id} (${type}${shares})`;
    });
  }

  ofKey(key: string): Client | null {
    return isClientKey(key) ? (this.#byKey.get(hashClientKey(key)) ?? null) : null;
  }

  find(id: string): Client | null {
    return this.#byId.get(id) ?? null;
  }

  keyless(flow: Flow): Client | null {
    return this.#clients.find(({ keyless }) => keyless.includes(flow)) ?? null;
  }
}
