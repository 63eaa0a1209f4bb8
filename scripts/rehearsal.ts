/**
 * Configures the service in live mode and the simulator, as its remote provider, for each other.
 * `npm run demo:live` and the tests of live mode both use it.
 */
import { hash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface RehearsalPlan {
  readonly servicePort: number;
  readonly simulatorPort: number;
  /** For the clients file. */
  readonly folder: string;
  /** 32 bytes in hex. */
  readonly secretKey: string;
  readonly clients: readonly ClientEntry[];
  /** Where the provider sends the signed results of pushes; by default to the service itself. */
  readonly pushUrl?: string;
}

/** One client of `CLIENTS_FILE`, with its plain keys. */
export interface ClientEntry {
  readonly id: string;
  readonly name: { readonly ar: string; readonly en: string };
  readonly type: 'public' | 'confidential';
  readonly return_addresses: readonly string[];
  readonly code_in?: 'query' | 'fragment';
  readonly keys: readonly string[];
  readonly openid?: Readonly<Record<string, unknown>>;
  readonly keyless?: readonly ('oidc' | 'mfa')[];
  readonly limits?: Readonly<Record<string, number>>;
}

export type Environment = Readonly<Record<string, string>>;

const APP_ID = 'rehearsal-app';
const APP_KEY = 'rehearsal-app-key';

export function originsOf({ servicePort, simulatorPort }: RehearsalPlan) {
  return {
    service: `http://localhost:${servicePort}`,
    simulator: `http://127.0.0.1:${simulatorPort}`,
  };
}

export function serviceSettings(plan: RehearsalPlan): Environment {
  const { service, simulator } = originsOf(plan);
  return {
    PORT: String(plan.servicePort),
    PUBLIC_URL: service,
    ALLOWED_HOSTS: '127.0.0.1',
    SECRET_KEY: plan.secretKey,
    CLIENTS_FILE: writeClientsFile(plan.folder, plan.clients),
    PROVIDER: 'live',
    ALLOW_SIMULATOR: 'yes',
    PROVIDER_URL: simulator,
    PROVIDER_PATH_PREFIX: '/stg',
    PROVIDER_APP_ID: APP_ID,
    PROVIDER_APP_KEY: APP_KEY,
    PROVIDER_ISSUER: simulator,
    PROVIDER_AUDIENCE: service,
    PROVIDER_AUTHORIZE_ORIGIN: simulator,
    PROVIDER_MFA_CALLBACK: 'registered',
    // The lifetime of the simulator's pushes for the service Login.
    PROVIDER_PUSH_LIFETIME: '60s',
  };
}

export function simulatorSettings(plan: RehearsalPlan): Environment {
  const { service, simulator } = originsOf(plan);
  return {
    PORT: String(plan.simulatorPort),
    PUBLIC_URL: simulator,
    APP_ID,
    APP_KEY,
    CLIENT_ID: service,
    AUDIENCE: service,
    ISSUER: simulator,
    RELYING_PARTY_RETURN_URL: `${service}/api/v1/callback`,
    RELYING_PARTY_PUSH_URL: plan.pushUrl ?? `${service}/api/v1/provider/mfa-callback`,
  };
}

/** Replaces the whole file, as an operator would. @returns its path */
export function writeClientsFile(folder: string, clients: readonly ClientEntry[]): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'clients.json');
  const hashed = clients.map((client) => ({ ...client, keys: client.keys.map(hashed256) }));
  writeFileSync(path, JSON.stringify({ clients: hashed }, null, 2), { mode: 0o600 });
  return path;
}

const hashed256 = (key: string) => `sha256:${hash('sha256', key, 'hex')}`;
