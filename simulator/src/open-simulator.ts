import type { FastifyInstance } from 'fastify';
import { BUILT_IN_PEOPLE } from './engine/people/built-in-people.ts';
import { CLAIM_PROFILES } from './engine/claims/claim-forms.ts';
import { Engine } from './engine/engine.ts';
import type { People } from './engine/people/people.ts';
import type { Clock } from './engine/ports.ts';
import { defaultSettings } from './engine/settings.ts';
import { lockFolder } from './platform/folder-lock.ts';
import { KeyRing } from './keys/key-ring.ts';
import { MovableTime } from './platform/movable-time.ts';
import {
  openKeyFile,
  openReferenceFile,
  readPeopleFile,
  systemClock,
  systemRandom,
  systemTimer,
} from './platform/platform.ts';
import { buildServer, type LogOptions } from './server.ts';
import type { Settings } from './settings.ts';

/** A simulator with its data folder, which does not listen yet. */
export interface OpenSimulator {
  readonly server: FastifyInstance;
  readonly people: People;
  /** Lets another simulator have the folder. The server is closed before. */
  readonly release: () => void;
}

/** @throws Error that says what to do, when the people or the folder can't be used */
export async function openSimulator(
  settings: Settings,
  stream: NonNullable<LogOptions['stream']>,
): Promise<OpenSimulator> {
  const { peopleFile, publicUrl, allowedHosts, token, dataDir } = settings;
  const people = peopleFile === null ? BUILT_IN_PEOPLE : readPeopleFile(peopleFile);
  const lock = lockFolder(dataDir);
  const keys = new KeyRing(openKeyFile(dataDir));
  // The first key is made now, because making it during a login would delay that login.
  await keys.signing();
  const time = new MovableTime(systemClock, systemTimer);
  const server = buildServer({
    engine: buildEngine(settings, people, time.provider),
    timer: systemTimer,
    time,
    random: systemRandom,
    providerPrefixes: settings.providerPrefixes,
    credentials: settings.credentials,
    pushStatus: settings.pushStatus,
    relyingParty: settings.relyingParty,
    keys,
    control: { publicUrl, allowedHosts, token },
    log: { level: settings.logLevel, stream },
  });
  return { server, people, release: () => lock[Symbol.dispose]() };
}

function buildEngine(settings: Settings, people: People, clock: Clock): Engine {
  const { publicUrl, clientId, audience, issuer, webIssuer, services, dataDir } = settings;
  const claimForms = CLAIM_PROFILES[settings.profile];
  const chosen = { clientId, audience, issuer, webIssuer, services, claimForms };
  return new Engine({
    settings: { ...defaultSettings(publicUrl), ...chosen },
    people,
    clock,
    random: systemRandom,
    references: openReferenceFile(dataDir),
  });
}
