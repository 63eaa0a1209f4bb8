import { describe } from 'vitest';
import { auditTests } from './store-audit.ts';
import { callTests } from './store-calls.ts';
import { closingTests, durabilityTests } from './store-durability.ts';
import { erasureTests } from './store-erasure.ts';
import { launchTests } from './store-launches.ts';
import { modelTests } from './store-model.ts';
import { newestTests, pendingTests } from './store-pending.ts';
import { outboxTests } from './store-outbox.ts';
import { openidChangeTests } from './store-openid-changes.ts';
import { openidTests } from './store-openid.ts';
import { endedTests, openidGrantTests } from './store-openid-grants.ts';
import { openidBegunTests } from './store-openid-begun.ts';
import { openidKeptTests } from './store-openid-kept.ts';
import { personalDataTests } from './store-personal-data.ts';
import { purgeTests } from './store-purge.ts';
import { pushTests } from './store-pushes.ts';
import { raceTests } from './store-races.ts';
import { recoveryTests } from './store-recovery.ts';
import { recordTests } from './store-records.ts';
import { endedSignInTests } from './store-ended-sign-ins.ts';
import { revocationTests } from './store-revocation.ts';
import { bindingTests } from './store-binding.ts';
import { tokenTests } from './store-tokens.ts';
import { transactionTests } from './store-transactions.ts';
import { transitionTests } from './store-transitions.ts';
import { trimTests } from './store-trim.ts';
import type { OpenStore } from './store-under-test.ts';
import { userTests } from './store-users.ts';

export interface StoreConformance {
  readonly open: OpenStore;
  /** The store on maps that the same suite tests. */
  readonly openModel: OpenStore;
  /** Whether rows survive the end of the process. */
  readonly lasts: boolean;
  /** Whether a requested identifier is erased when its attempt ends, as in a store with a vault. */
  readonly erasesIdentifiers: boolean;
  /** Whether it is the model, which tells nobody of anything. */
  readonly isModel?: true;
}

/** Tests a store against the numbered promises of store/ports/store.port.ts. */
export function storeConformance(name: string, conformance: StoreConformance): void {
  const { open, openModel, lasts, erasesIdentifiers, isModel = false } = conformance;
  describe(`${name} keeps the promises of the store port`, () => {
    describe('records', () => recordTests(open));
    describe('transitions', () => transitionTests(open, erasesIdentifiers));
    describe('transactions', () => transactionTests(open));
    describe('launches', () => launchTests(open));
    describe('pushes', () => pushTests(open));
    describe('pending', () => pendingTests(open));
    describe('newest', () => newestTests(open));
    describe('races', () => raceTests(open));
    describe('tokens', () => tokenTests(open));
    describe('seal', () => bindingTests(open));
    describe('users', () => userTests(open));
    describe('revocation', () => revocationTests(open));
    describe('ended sign-ins', () => endedSignInTests(open));
    describe('recovery', () => recoveryTests(open));
    describe('calls', () => callTests(open));
    describe('audit', () => auditTests(open));
    describe('purge', () => purgeTests(open));
    describe('personal data', () => personalDataTests(open));
    describe('OpenID records', () => openidTests(open));
    describe('OpenID grants', () => openidGrantTests(open));
    describe('begun for OpenID clients', () => openidBegunTests(open));
    describe('kept for OpenID clients', () => openidKeptTests(open));
    describe('OpenID changes', () => openidChangeTests(open));
    if (!isModel) describe('OpenID ends', () => endedTests(open));
    if (!isModel) describe('outbox', () => outboxTests(open));
    describe('trim', () => trimTests(open));
    if (erasesIdentifiers) describe('erasure', () => erasureTests(open));
    describe('model', () => modelTests(open, openModel));
    describe('close', () => closingTests(open));
    if (lasts) describe('durability', () => durabilityTests(open));
  });
}
