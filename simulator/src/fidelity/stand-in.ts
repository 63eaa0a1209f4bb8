import { Readable } from 'node:stream';
import { CLAIM_PROFILES, type ClaimProfileName } from '../engine/claims/claim-forms.ts';
import { BUILT_IN_PEOPLE } from '../engine/people/built-in-people.ts';
import { Engine } from '../engine/engine.ts';
import { blocksInMemory } from '../engine/references.ts';
import { defaultSettings } from '../engine/settings.ts';
import { KeyRing, keysInMemory } from '../keys/key-ring.ts';
import type { Credentials } from '../options.ts';
import { systemClock, systemRandom, systemTimer } from '../platform/platform.ts';
import { buildServer } from '../server.ts';
import { readSettings } from '../settings.ts';

/** Nobody is asked there: the simulator answers in this process, without a socket. */
const ORIGIN = 'http://simulator.invalid';

/** Settings of the simulator that change what it answers. */
const ANSWERING_SETTINGS = ['PROFILE', 'PUSH_STATUS', 'SERVICES'] as const;

/** Of every stand-in: a comparison opens one for each form of claims, and looks at no key's value. */
const KEYS = new KeyRing(keysInMemory());

export interface StandInOptions {
  /** `ANSWERING_SETTINGS` are read; the rest is as by default. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** In place of that of the environment. */
  readonly profile?: ClaimProfileName;
  readonly credentials: Credentials;
  /** Each begins with a slash and does not end with one; empty for none. */
  readonly prefixes: readonly string[];
}

export interface StandInRequest {
  readonly method: 'GET' | 'POST';
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** An answer as an HTTP client has it before its body is read. */
export interface StandInAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  readonly body: Readable;
}

/** A simulator to compare a provider with. */
export interface StandIn {
  /** The name of its form of claims. */
  readonly profile: ClaimProfileName;
  ask(request: StandInRequest): Promise<StandInAnswer>;
  /** A person approves the sign-in by browser with this state. @param person an id of the people */
  approve(state: string, person: string): Promise<void>;
  close(): Promise<void>;
}

/** @throws Error with every fault of the settings */
export function openStandIn(options: StandInOptions): StandIn {
  const { environment, credentials, prefixes: providerPrefixes } = options;
  const given = ANSWERING_SETTINGS.map((name) => [name, environment[name]] as const);
  const read = readSettings(Object.fromEntries(given));
  if (!read.ok) throw new Error(`the simulator's settings: ${read.faults.join('; ')}`);
  const { services, pushStatus } = read.settings;
  const profile = options.profile ?? read.settings.profile;
  const app = buildServer({
    engine: new Engine({
      settings: { ...defaultSettings(ORIGIN), services, claimForms: CLAIM_PROFILES[profile] },
      people: BUILT_IN_PEOPLE,
      clock: systemClock,
      random: systemRandom,
      references: blocksInMemory(),
    }),
    timer: systemTimer,
    random: systemRandom,
    keys: KEYS,
    providerPrefixes,
    credentials,
    pushStatus,
    control: { publicUrl: ORIGIN },
    log: { level: 'silent' },
  });
  return {
    profile,
    async ask({ method, target: url, headers, body }) {
      const payload = body === null ? {} : { payload: body };
      const { statusCode, rawPayload, ...answer } = await app.inject({
        method,
        url,
        headers,
        ...payload,
      });
      return { statusCode, headers: answer.headers, body: Readable.from([rawPayload]) };
    },
    async approve(state, person) {
      const payload = new URLSearchParams({ state, person, decision: 'approve' }).toString();
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const url = '/authservice/authorize?ui_locales=en';
      await app.inject({ method: 'POST', url, payload, headers });
    },
    close: () => app.close(),
  };
}
