import { flushCompileCache } from 'node:module';
import process from 'node:process';
import { tolerateClosedOutput } from '@miftah/schema/closed-output';
import { listenError } from '@miftah/schema/listen-error';
import { openLogOutput, type LogOutput } from '@miftah/schema/log-output';
import { readRegularFile } from '@miftah/schema/regular-file';
import closeWithGrace from 'close-with-grace';
import { EXIT_MISUSED, readArguments } from './arguments.ts';
import { banner } from './banner.ts';
import { BUILT_IN_PEOPLE } from './engine/built-in-people.ts';
import { CLAIM_PROFILES } from './engine/claims/claim-forms.ts';
import { Engine } from './engine/engine.ts';
import { parsePeople, type People } from './engine/people.ts';
import type { Clock } from './engine/ports.ts';
import { defaultSettings } from './engine/settings.ts';
import { lockFolder } from './folder-lock.ts';
import { KeyRing } from './keys/key-ring.ts';
import { MovableTime } from './movable-time.ts';
import {
  findFreePort,
  openKeyFile,
  openReferenceFile,
  systemClock,
  systemRandom,
  systemTimer,
} from './platform.ts';
import { buildServer } from './server.ts';
import { readSettings, type Settings } from './settings.ts';

/** Slow answers are sent at once, and requests that are still unfinished after this are cut off. */
const CUT_OFF_MS = 5000;
/** The longest time for closing; then the process ends with exit code 1. */
const DRAIN_MS = 10_000;
/** How long a stop waits for a log that can't be written. */
const LAST_LINES_MS = 500;
const STANDARD_OUTPUT = 1;
/** Far more than invented people need: some 50,000. */
const PEOPLE_BYTES = 32 * 1024 * 1024;

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

interface Start {
  readonly output: LogOutput;
  /** For the log, once it is open. */
  readonly warnings: readonly string[];
  readonly handOver: () => void;
}

async function run(settings: Settings, { output, warnings, handOver }: Start): Promise<void> {
  const { peopleFile, publicUrl, allowedHosts, token, logLevel, host, port } = settings;
  const people = peopleFile === null ? BUILT_IN_PEOPLE : parsePeople(textOf(peopleFile));
  const lock = lockFolder(settings.dataDir);
  const keys = new KeyRing(openKeyFile(settings.dataDir));
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
    log: { level: logLevel, stream: output },
  });
  output.on('restored', (gap) => server.log.warn(gap, 'the log could not be written for a while'));
  for (const warning of warnings) server.log.warn(warning);
  await server.listen({ host, port }).catch((error: unknown) => {
    throw listenError(error, { host, port, names: ['HOST', 'PORT'] });
  });
  handOver();
  closeWithGrace({ delay: DRAIN_MS, logger: server.log }, async ({ err }) => {
    if (err !== undefined) server.log.error(err);
    // A request that does not end was never answered, so cutting it off is a clean stop.
    const closed = new AbortController();
    const cutOff = systemTimer
      .sleep(CUT_OFF_MS, closed.signal)
      .then(() => server.server.closeAllConnections());
    await server.close();
    closed.abort();
    await cutOff;
    lock[Symbol.dispose]();
    await output.drain(LAST_LINES_MS);
  });
  output.write(banner(settings, people));
  // Otherwise Node writes it at the end, and a program that is killed would leave nothing.
  flushCompileCache();
}

/** @throws Error that names the setting */
function textOf(path: string): string {
  try {
    return readRegularFile(path, PEOPLE_BYTES);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`PEOPLE_FILE ${path} can't be read: ${reason}`, { cause: error });
  }
}

function giveUp(faults: readonly string[]): void {
  process.stderr.write(`The simulator can't start:\n${faults.map((f) => `  - ${f}\n`).join('')}`);
  process.exitCode = 1;
}

/** PORT=0 means any free port. It must be known before the start, because addresses contain it. */
async function settle(settings: Settings): Promise<Settings> {
  if (settings.port !== 0) return settings;
  const again = readSettings(process.env, await findFreePort(settings.host));
  return again.ok ? again.settings : settings;
}

async function start(handOver: () => void): Promise<void> {
  const read = readSettings(process.env);
  if (!read.ok) return giveUp(read.faults);
  try {
    const output = openLogOutput(STANDARD_OUTPUT);
    await run(await settle(read.settings), { output, warnings: read.misspelt, handOver });
  } catch (error) {
    giveUp([error instanceof Error ? error.message : String(error)]);
  }
}

/**
 * The simulator as a program of its own, with settings from the environment.
 * @param handOver called when the simulator can stop in order: it listens to signals from then on
 */
export async function runProgram(args: readonly string[], handOver: () => void): Promise<void> {
  const asked = readArguments(args);
  if (asked.kind === 'run') return start(handOver);
  tolerateClosedOutput();
  if (asked.kind === 'help') {
    process.stdout.write(`${asked.text}\n`);
    return;
  }
  process.stderr.write(`${asked.text}\n`);
  process.exitCode = EXIT_MISUSED;
}
