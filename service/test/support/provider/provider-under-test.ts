import { onTestFinished } from 'vitest';
import { Refusal } from '../../../src/errors/refusal.ts';
import type { ByFlow } from '../../../src/attempt/flow.ts';
import type { NationalId } from '../../../src/account/user.ts';
import { Secret } from '../../../src/values/secret.ts';
import type { CallRecord } from '../../../src/provider/call/call-record.ts';
import { REPORTED_PROFILE, type ProviderApiConfig } from '../../../src/provider/provider-config.ts';
import { createProviderApi, type ProviderTools } from '../../../src/provider/http-provider-api.ts';
import type { ProviderApi } from '../../../src/provider/provider-api.ts';
import { createFakeClock, type FakeClock } from '../service/fake-clock.ts';
import type { AtEnd } from '../at-end.ts';
import { DEADLINE_MS } from '../held-deadline.ts';

export const ISSUER = 'https://provider.example.test';
export const AUDIENCE = 'https://relying-party.example.test';
export const SERVICE = 'Login';
export const AUTHORIZE_ORIGIN = 'https://authorize.example.test';
export const REQUEST_ID = '0199a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b';
export const TRANSACTION_ID = '5d1f0c3e-4b7a-4c7e-9a61-2f0d8b6c4e15';
export const NATIONAL_ID = '1000002201' as NationalId;

/** The same for both flows. */
export function inBoth(value: string): ByFlow<string> {
  return { oidc: value, mfa: value };
}

function configFor(url: string, changes: Partial<ProviderApiConfig> = {}): ProviderApiConfig {
  return {
    url,
    pathPrefixes: inBoth('/stg'),
    appId: new Secret('app-id-canary'),
    appKey: new Secret('app-key-canary'),
    ownAddress: '203.0.113.7',
    service: SERVICE,
    issuers: inBoth(ISSUER),
    audience: AUDIENCE,
    authorizeOrigin: AUTHORIZE_ORIGIN,
    mode: 'live',
    minimumAssurance: 0,
    profile: REPORTED_PROFILE,
    ...changes,
  };
}

export interface ProviderUnderTest {
  readonly provider: ProviderApi;
  readonly clock: FakeClock;
  readonly records: readonly CallRecord[];
}

export function openProvider(
  url: string,
  changes: Partial<ProviderApiConfig> = {},
  services: Partial<ProviderTools> = {},
  atEnd: AtEnd = onTestFinished,
): ProviderUnderTest {
  const clock = createFakeClock();
  const records: CallRecord[] = [];
  const record = (one: CallRecord) => void records.push(one);
  const provider = createProviderApi(configFor(url, changes), {
    clock,
    record,
    deadlineMs: DEADLINE_MS,
    providerName: () => ISSUER,
    ...services,
  });
  atEnd(async () => provider.close());
  return { provider, clock, records };
}

export const ORDER = {
  requestId: REQUEST_ID,
  locale: 'ar',
  nationalId: NATIONAL_ID,
  userAddress: '198.51.100.23',
} as const;

/** The refusal of a call. @throws Error when it was not refused, or failed in another way */
export async function refusalOf(work: Promise<unknown>): Promise<Refusal> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
