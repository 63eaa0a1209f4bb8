import { describe } from 'vitest';
import { beginningTests } from './provider-beginnings.ts';
import { identityTests } from './provider-identities.ts';
import { resultTests } from './provider-results.ts';
import type { ProviderConformance } from './provider-under-test.ts';

/** Tests a driver against the numbered promises of provider/identity-provider.port.ts. */
export function providerConformance(name: string, conformance: ProviderConformance): void {
  describe(`${name} keeps the promises of the provider port`, () => {
    describe('beginning', () => beginningTests(conformance));
    describe('results', () => resultTests(conformance));
    describe('identities', () => identityTests(conformance));
  });
}
