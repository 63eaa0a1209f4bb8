import { lazySerializers } from '@miftah/schema/compilers';
import { simulator } from '@miftah/simulator/app';
import {
  blocksInMemory,
  BUILT_IN_PEOPLE,
  CLAIM_PROFILES,
  defaultSettings,
  Engine,
  type ClaimProfileName,
} from '@miftah/simulator/engine';
import { systemRandom, systemTimer } from '@miftah/simulator/platform';
import fastify from 'fastify';
import { expect, it } from 'vitest';
import {
  originsOf,
  serviceSettings,
  simulatorSettings,
  type RehearsalPlan,
} from '../../../scripts/rehearsal.ts';
import { share, temporaryFolder, type AtEnd } from '../support/at-end.ts';
import { LiveClient } from '../support/live/live-client.ts';
import { answerPush, redeemed, signIn } from '../support/live/live-login.ts';
import { BANK_KEY, CLIENTS } from '../support/live/rehearsal.ts';
import { findFreePort } from '../support/programs/service-process.ts';
import { openListening } from '../support/service/listening-service.ts';

/**
 * Each shape of tokens that is reported, from the simulator through the live driver to a token of
 * this service. Both flows have a path prefix and an issuer of their own, as is reported too.
 */

const PROFILES = Object.keys(CLAIM_PROFILES) as readonly ClaimProfileName[];
const PUSH_ISSUER = 'an-application';

const scene = share(async (atEnd) => {
  const plan: RehearsalPlan = {
    servicePort: await findFreePort(),
    simulatorPort: await findFreePort(),
    folder: temporaryFolder('profiles', atEnd),
    secretKey: '5e'.repeat(32),
    clients: Object.values(CLIENTS),
  };
  const provider = await openSimulator(plan, atEnd);
  const settings = { RATE_LIMITS: 'on', ...serviceSettings(plan), ...APART };
  const service = await openListening({ port: plan.servicePort, settings }, atEnd);
  return { ...provider, bank: new LiveClient({ service }, BANK_KEY) };
});

const APART = {
  PROVIDER_PATH_PREFIX: '/',
  PROVIDER_WEB_PATH_PREFIX: '/stg',
  PROVIDER_PUSH_ISSUER: PUSH_ISSUER,
};

/** The simulator in this process. `use` changes the shape of the tokens that it signs next. */
async function openSimulator(plan: RehearsalPlan, atEnd: AtEnd) {
  const { simulator: origin } = originsOf(plan);
  const environment = simulatorSettings(plan);
  let profile: ClaimProfileName = 'reported';
  const settings = {
    ...defaultSettings(origin),
    clientId: environment['CLIENT_ID'] ?? '',
    audience: environment['AUDIENCE'] ?? '',
    issuer: PUSH_ISSUER,
    webIssuer: origin,
    get claimForms() {
      return CLAIM_PROFILES[profile];
    },
  };
  const references = blocksInMemory();
  const clock = { now: () => Date.now() };
  const parts = { settings, clock, references, random: systemRandom, people: BUILT_IN_PEOPLE };
  // As the simulator's own server has it.
  const app = fastify({
    schemaController: { compilersFactory: { buildSerializer: lazySerializers() } },
  });
  await app.register(simulator, {
    engine: new Engine(parts),
    timer: systemTimer,
    control: { publicUrl: origin },
    relyingParty: {
      returnUrl: environment['RELYING_PARTY_RETURN_URL'] ?? '',
      returnMethod: 'GET',
      pushUrl: environment['RELYING_PARTY_PUSH_URL'] ?? '',
    },
  });
  await app.listen({ host: '127.0.0.1', port: plan.simulatorPort });
  atEnd(async () => app.close());
  return { origin, use: (next: ClaimProfileName) => void (profile = next) };
}

const RESIDENT = {
  national_id: '2000006601',
  arabic_name: 'شيفون مويرا أوسبيسيمن',
  english_name: "Siobhán Máire O'Specimen",
};
const CITIZEN = { national_id: '1000002201' };
const VISITOR = {
  national_id: '3000009901',
  arabic_name: 'لوكاس موستر',
  english_name: 'Lukas Muster',
};

it.each(PROFILES)('PROFILE=%s signs in by browser', async (profile) => {
  const { bank, use } = scene();
  use(profile);
  const { status, data } = await redeemed(bank, await signIn(bank, 'siobhan'));
  expect(status).toBe(200);
  expect(data).toMatchObject({ user: RESIDENT });
});

it.each(PROFILES)('PROFILE=%s signs in by phone', async (profile) => {
  const { bank, origin, use } = scene();
  use(profile);
  // Only a number of a citizen or resident says which document it is of.
  for (const person of profile.startsWith('push-thin') ? [CITIZEN] : [CITIZEN, VISITOR]) {
    const started = await bank.startPhone(person.national_id);
    await answerPush({ simulator: { origin } }, bank, started);
    const { status, data } = await bank.redeem(started);
    expect(status).toBe(200);
    expect(data).toMatchObject({ user: person });
  }
});
