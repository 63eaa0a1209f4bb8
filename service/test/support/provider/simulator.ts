import { lazySerializers } from '@miftah/schema/compilers';
import { KeyRing, simulator } from '@miftah/simulator/app';
import {
  blocksInMemory,
  BUILT_IN_PEOPLE,
  defaultSettings,
  Engine,
  type EngineSettings,
} from '@miftah/simulator/engine';
import { systemRandom, systemTimer, type Timer } from '@miftah/simulator/platform';
import fastify from 'fastify';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { FakeClock } from '../service/fake-clock.ts';
import { AUDIENCE, AUTHORIZE_ORIGIN, ISSUER } from './provider-under-test.ts';

type KeyStore = ConstructorParameters<typeof KeyRing>[0];

export interface RunningSimulator {
  readonly url: string;
  /** Decides on the sign-in page in place of the person. */
  answerPage(state: string, decision: string, person: string): Promise<void>;
  /** Opens the page of a session, on which the person of a chosen outcome acts. */
  openPage(launchUrl: string): Promise<'approved' | 'rejected' | 'waiting'>;
  /** Decides on the phone in place of the person. */
  answerPush(decision: 'approve' | 'refuse'): void;
}

export interface SimulatorChanges {
  readonly timer?: Timer;
  readonly settings?: Partial<EngineSettings>;
}

/** The simulator on its own socket. It sends its results to `pushUrl`. */
export async function runSimulator(
  clock: FakeClock,
  pushUrl: string,
  { timer = systemTimer, settings: changes = {} }: SimulatorChanges = {},
): Promise<RunningSimulator> {
  const settings = {
    ...defaultSettings(AUTHORIZE_ORIGIN),
    issuer: ISSUER,
    clientId: AUDIENCE,
    audience: AUDIENCE,
    ...changes,
  };
  const references = blocksInMemory();
  const parts = { settings, clock, references, random: systemRandom, people: BUILT_IN_PEOPLE };
  const engine = new Engine(parts);
  // As the simulator's own server has it: each test makes an application, and uses few of its routes.
  const app = fastify({
    schemaController: { compilersFactory: { buildSerializer: lazySerializers() } },
  });
  const relyingParty = { returnUrl: `${AUDIENCE}/return`, returnMethod: 'GET', pushUrl } as const;
  const control = { publicUrl: AUTHORIZE_ORIGIN };
  const keys = keysMadeOnce();
  await app.register(simulator, { engine, timer, control, relyingParty, keys });
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => app.close());
  return {
    url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
    async answerPage(state, decision, person) {
      const payload = new URLSearchParams({ state, decision, person }).toString();
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const url = '/authservice/authorize?ui_locales=en';
      const { statusCode } = await app.inject({ method: 'POST', url, payload, headers });
      if (statusCode >= 400) throw new Error(`the sign-in page answered ${statusCode}`);
    },
    async openPage(launchUrl) {
      const { pathname, search } = new URL(launchUrl);
      const page = await app.inject(pathname + search);
      if (page.statusCode === 303) return 'rejected';
      if (page.statusCode !== 200) throw new Error(`the page answered ${page.statusCode}`);
      return page.payload.includes('name="id_token"') ? 'approved' : 'waiting';
    },
    answerPush(decision) {
      const [prompt] = engine.prompts();
      engine.decide({ promptId: prompt?.id ?? '', decision }, clock.now());
    },
  };
}

let firstKeys: ReturnType<KeyStore['load']> = [];

/** Each ring begins with the same real key, and what a test changes in one is in no other. */
export function keysMadeOnce(): KeyRing {
  return new KeyRing({
    load: () => firstKeys,
    save: (keys) => void (firstKeys = firstKeys.length > 0 ? firstKeys : keys),
  });
}
