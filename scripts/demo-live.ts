// `npm run demo:live`: runs the service in live mode and the simulator as its provider, each in its
// own process, and prints commands to sign in with. Ends with Ctrl-C, or by itself with `--once`.

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { isReturnAddress } from '../service/src/attempt/browser/return-address.ts';
import { phoneLines } from '../service/src/origin/phone-lines.ts';
import { DemoApplication } from './demo-live/application.ts';
import { findFreePort, requireFree } from './demo-live/ports.ts';
import { Program } from './demo-live/program.ts';
import { trial, type Trial } from './demo-live/trial.ts';
import {
  originsOf,
  serviceSettings,
  simulatorSettings,
  type ClientEntry,
  type Environment,
  type RehearsalPlan,
} from './rehearsal.ts';

const ROOT = dirname(import.meta.dirname);
const KEY_BYTES = 32;

interface Demo {
  readonly plan: RehearsalPlan;
  readonly key: string;
  readonly application: DemoApplication;
  readonly programs: Program[];
  /** Rejects when a program ends without having been told to. */
  readonly broken: PromiseWithResolvers<never>;
}

/** @param returnAddresses the first is used by an application that names none */
function demoClient(key: string, returnAddresses: readonly string[]): ClientEntry {
  return {
    id: 'demo',
    name: { ar: 'تطبيق تجريبي', en: 'Demo application' },
    type: 'confidential',
    return_addresses: returnAddresses,
    keys: [key],
  };
}

async function open(folder: string, ownAddresses: readonly string[]): Promise<Demo> {
  const servicePort = await portOf('SERVICE_PORT');
  const simulatorPort = await portOf('SIMULATOR_PORT');
  const key = `mfk_${randomBytes(KEY_BYTES).toString('base64url')}`;
  const application = await DemoApplication.open(`http://localhost:${servicePort}/api/v1`, key);
  const plan: RehearsalPlan = {
    servicePort,
    simulatorPort,
    folder,
    secretKey: randomBytes(KEY_BYTES).toString('hex'),
    clients: [demoClient(key, [...ownAddresses, application.returnAddress])],
  };
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => undefined);
  return { plan, key, application, programs: [], broken };
}

async function portOf(name: string): Promise<number> {
  const wanted = process.env[name];
  if (wanted === undefined || wanted === '') return findFreePort();
  const port = Number(wanted);
  if (!Number.isInteger(port) || port <= 0 || port >= 65_536) {
    throw new Error(`${name} is no port: ${wanted}`);
  }
  await requireFree(port, name);
  return port;
}

async function start(demo: Demo): Promise<void> {
  const { plan } = demo;
  const { folder, servicePort, simulatorPort } = plan;
  const simulator = launch(demo, 'the simulator', 'simulator/src/main.ts', {
    ...simulatorSettings(plan),
    DATA_DIR: join(folder, 'simulator'),
  });
  // At its start the service asks the provider whether it is a simulator.
  await simulator.ready(simulatorPort);
  const service = launch(demo, 'the service', 'service/start.mjs', {
    ...serviceSettings(plan),
    DATA_DIR: join(folder, 'service'),
    LOG_LEVEL: 'warn',
  });
  await service.ready(servicePort);
}

function launch(demo: Demo, name: string, main: string, settings: Environment): Program {
  const program = new Program(name, join(ROOT, main), settings);
  demo.programs.push(program);
  program.failed().catch(demo.broken.reject);
  return program;
}

async function show(demo: Demo, own: readonly string[]): Promise<void> {
  const { plan, key, application } = demo;
  const { service, simulator } = originsOf(plan);
  const lines = phoneLines({ api: `${service}/api/v1`, simulator, key });
  const authorizationUrl = await application.begin();
  const tried = await trial(lines, authorizationUrl);
  const shown = { service, simulator, application: application.origin, key, own };
  console.log(banner(shown, tried));
  console.log([...lines, ''].join('\n'));
  console.log(
    '  By browser, within five minutes, or from the application for a new one each time:\n',
  );
  console.log(`${authorizationUrl}\n`);
}

interface Shown {
  readonly service: string;
  readonly simulator: string;
  readonly application: string;
  readonly key: string;
  /** The return addresses of the caller's own application. */
  readonly own: readonly string[];
}

function banner({ service, simulator, application, key, own }: Shown, tried: Trial): string {
  const noneOfOwn = `none of your own: npm run demo:live -- ${RETURN_ADDRESS} URL`;
  return [
    '',
    '  Miftah مفتاح - live mode, rehearsed: the provider is the simulator, in another process',
    '',
    `  Service      ${service}/api/v1`,
    `  Provider     ${simulator}   (people: ${simulator}/simulator/people)`,
    `  Application  ${application}/`,
    `  Key          ${key}`,
    `  Returns to   ${own.length === 0 ? noneOfOwn : own.join(', ')}`,
    '',
    `  ${tried.name} has just signed in by phone, with these lines: paste them into a shell.`,
    '  Start, approve as the person would, ask until it is done, exchange for a token:',
    '',
  ].join('\n');
}

/** Ctrl-C, or the end of the terminal session. */
async function stopSignal(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => resolve());
  }
  return promise;
}

async function perform(demo: Demo, given: Arguments, stopped: Promise<void>): Promise<void> {
  await start(demo);
  await show(demo, given.returnAddresses);
  if (given.isOnce) return;
  console.log('  Ctrl-C stops all of it, and removes its data.\n');
  await stopped;
}

async function run(given: Arguments): Promise<void> {
  const stopped = stopSignal();
  const folder = mkdtempSync(join(tmpdir(), 'miftah-demo-'));
  let demo: Demo | null = null;
  try {
    demo = await open(folder, given.returnAddresses);
    // Ends early if the demo was told to stop, or if one of its programs has ended.
    await Promise.race([perform(demo, given, stopped), stopped, demo.broken.promise]);
  } finally {
    await Promise.all(demo?.programs.map((program) => program.stop()) ?? []);
    await demo?.application.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Exit code for arguments that can't be used. */
const EXIT_MISUSED = 2;

const RETURN_ADDRESS = '--return-address';

const USAGE = `Usage: npm run demo:live [-- [--once] [--return-address URL]...]

Runs the service in live mode and the simulator as its provider, until Ctrl-C.

  --once                 end after the sign-in that is tried at the start
  --return-address URL   where an application of your own takes browsers back, as
                         http://127.0.0.1:8080/return; may be repeated. The first is used
                         where a start names none. The application needs the address of
                         the service and the key, which are printed.
  --help                 print this and stop

Environment: SERVICE_PORT and SIMULATOR_PORT (any free ports).`;

interface Arguments {
  readonly isOnce: boolean;
  readonly returnAddresses: readonly string[];
}

function readArguments(args: string[]): Arguments {
  const options = {
    once: { type: 'boolean' },
    help: { type: 'boolean' },
    'return-address': { type: 'string', multiple: true },
  } as const;
  try {
    const { values } = parseArgs({ args, options });
    if (values.help === true) {
      console.log(USAGE);
      process.exit();
    }
    const returnAddresses = values['return-address'] ?? [];
    const wrong = returnAddresses.find((address) => !isReturnAddress(address, 'confidential'));
    if (wrong === undefined) return { isOnce: values.once ?? false, returnAddresses };
    console.error(`${RETURN_ADDRESS} ${wrong}: must be an https address, or http on loopback,
  without a fragment, such as http://127.0.0.1:8080/return`);
  } catch {
    console.error(`npm run demo:live takes no arguments but --once, ${RETURN_ADDRESS} and --help`);
  }
  process.exit(EXIT_MISUSED);
}

try {
  await run(readArguments(process.argv.slice(2)));
} catch (error) {
  console.error(
    `\nthe demo has failed: ${error instanceof Error ? error.message : String(error)}\n`,
  );
  process.exitCode = 1;
}
