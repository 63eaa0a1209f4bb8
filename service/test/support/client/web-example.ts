import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { testIds } from '@miftah/pages';
import type { Page } from 'playwright-core';
import { COMPILE_CACHE } from '../../../../scripts/compile-cache.mjs';
import { ATTEMPT_LIFETIME_MS } from '../../../src/attempt/attempt.ts';
import { share, type AtEnd } from '../at-end.ts';
import { DEMO_KEY } from '../attacks/demo-application.ts';
import type { RehearsalOptions } from '../live/rehearsal.ts';
import { openRehearsal } from '../live/shared-rehearsal.ts';
import { findFreePort } from '../programs/service-process.ts';
import { openHttpsFront } from './https-front.ts';
import { createFakeClock } from '../service/fake-clock.ts';
import { openTestService } from '../service/test-service.ts';

/** The example application of examples/web, as a process of its own, and the service behind it. */
export interface WebExample {
  readonly origin: string;
  /** Where prompts are decided in place of the person. */
  readonly provider: string;
  /** What the application has printed. */
  readonly said: () => string;
  /** The service, where it is in this process; null where it is not. */
  readonly inside: Inside | null;
}

interface Inside {
  /** Lets what is waiting expire. */
  readonly letExpire: () => void;
  /** How many streams and long polls are open. */
  readonly waiting: () => number;
}

interface Service {
  readonly settings: Readonly<Record<string, string>>;
  readonly provider: string;
  readonly inside: Inside | null;
}

type OpenService = (appOrigin: string, atEnd: AtEnd) => Promise<Service>;

const APPLICATION = fileURLToPath(new URL('../../../../examples/web/app.mjs', import.meta.url));
const PUBLISHED = new URL('../../../../scripts/published-element.ts', import.meta.url).href;
/** The arguments of Node, as `npm run demo:web` has them. */
const OF_CHECKOUT = ['--import', PUBLISHED, APPLICATION];

/** The service in this process, with a clock that the test moves. */
export async function simulate(settings: Record<string, string>, atEnd: AtEnd) {
  const port = await findFreePort();
  // The application in its own process has the real clock, and its pages count by that.
  const now = createFakeClock(Date.now());
  const inProcess = { PORT: String(port), RATE_LIMITS: 'off', ...settings };
  const { app, clock } = await openTestService({ settings: inProcess, clock: now, atEnd });
  await app.listen({ host: '127.0.0.1', port });
  const { server } = app;
  const connections = server.maxConnections;
  return {
    provider: `http://127.0.0.1:${port}`,
    inside: {
      letExpire: () => clock.advance(ATTEMPT_LIFETIME_MS),
      // Each has a connection besides those of other requests.
      waiting: () => server.maxConnections - connections,
    },
  };
}

async function openSimulator(_: string, atEnd: AtEnd): Promise<Service> {
  const simulated = await simulate({}, atEnd);
  return { ...simulated, settings: { MIFTAH_URL: `${simulated.provider}/api/v1` } };
}

async function openStrict(_: string, atEnd: AtEnd): Promise<Service> {
  const simulated = await simulate({ STRICT: 'yes' }, atEnd);
  const key = { MIFTAH_KEY: 'mfk_test_simulator' };
  return { ...simulated, settings: { MIFTAH_URL: `${simulated.provider}/api/v1`, ...key } };
}

async function openRehearsed(
  appOrigin: string,
  atEnd: AtEnd,
  options: RehearsalOptions = {},
): Promise<Service> {
  const demo = {
    id: 'demo',
    name: { ar: 'تطبيق المثال', en: 'Example Application' },
    type: 'confidential',
    return_addresses: [`${appOrigin}/sign-in/return`],
    keys: [DEMO_KEY],
  } as const;
  const rehearsal = await openRehearsal({ clients: [demo], ...options });
  atEnd(async () => rehearsal[Symbol.asyncDispose]());
  return {
    settings: { MIFTAH_URL: `${rehearsal.origins.service}/api/v1`, MIFTAH_KEY: DEMO_KEY },
    provider: rehearsal.origins.simulator,
    inside: null,
  };
}

/** Live mode rehearsed, where a push can be answered for a short time only. */
export const openHurriedRehearsal: OpenService = (appOrigin, atEnd) =>
  openRehearsed(appOrigin, atEnd, {
    settings: { PROVIDER_PUSH_LIFETIME: '2s' },
    simulatorSettings: { SERVICES: 'Login:2' },
  });

/** The application is the same in each of them; its settings differ. */
export const WEB_MODES = [
  ['simulator mode', openSimulator],
  ['strict mode', openStrict],
  ['the rehearsal of live mode', openRehearsed],
] as const satisfies readonly (readonly [name: string, open: OpenService])[];

/** One application and its service for all tests of a block. */
export function shareWebExample(
  open: OpenService,
  programOf: (atEnd: AtEnd) => Promise<readonly string[]> = async () => OF_CHECKOUT,
): () => WebExample {
  return share(async (atEnd) => {
    const origin = `http://127.0.0.1:${await findFreePort()}`;
    return openExample(origin, { open, program: await programOf(atEnd) }, atEnd);
  });
}

/** The application behind a proxy that speaks https, in simulator mode. */
export function shareHttpsExample(): () => WebExample {
  return share(async (atEnd) => {
    const port = await findFreePort();
    const { origin } = await openHttpsFront(port, atEnd);
    const settings = { APP_URL: origin, PORT: String(port) };
    return openExample(origin, { open: openSimulator, program: OF_CHECKOUT, settings }, atEnd);
  });
}

/** The application of which nothing but the port is said. */
export async function openPortExample(atEnd: AtEnd): Promise<WebExample> {
  const settings = { PORT: String(await findFreePort()) };
  const origin = `http://127.0.0.1:${settings.PORT}`;
  return openExample(origin, { open: openSimulator, program: OF_CHECKOUT, settings }, atEnd);
}

interface ExampleParts {
  readonly open: OpenService;
  readonly program: readonly string[];
  readonly settings?: Readonly<Record<string, string>>;
}

async function openExample(origin: string, parts: ExampleParts, atEnd: AtEnd): Promise<WebExample> {
  const { settings, ...service } = await parts.open(origin, atEnd);
  const all = { ...settings, ...(parts.settings ?? { APP_URL: origin }) };
  return { origin, said: await run(parts.program, all, atEnd), ...service };
}

/** @returns what it has printed so far */
async function run(
  program: readonly string[],
  settings: Readonly<Record<string, string>>,
  atEnd: AtEnd,
) {
  const env = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: COMPILE_CACHE, ...settings };
  const child: ChildProcess = spawn(process.execPath, program, {
    env,
    stdio: 'pipe',
  });
  atEnd(() => void child.kill());
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
  }
  const gone = once(child, 'exit').then(() => Promise.reject(new Error(said)));
  gone.catch(() => undefined);
  if (child.stdout) await Promise.race([once(child.stdout, 'data'), gone]);
  return () => said;
}

/** Where the phones of the people are. */
type Phones = Pick<WebExample, 'provider'>;

const promptsOf = ({ provider }: Phones) => `${provider}/simulator/prompts`;

/** The id of the newest prompt on the phone of this person. */
export async function promptFor(example: Phones, nationalId: string): Promise<string | undefined> {
  const { data } = (await (await fetch(promptsOf(example))).json()) as {
    data: readonly { readonly id: string; readonly national_id: string | null }[];
  };
  return data.findLast((one) => one.national_id === nationalId)?.id;
}

/** Decides the newest prompt on the phone of this person, by the control API. */
export async function decideOnPhoneOf(
  example: Phones,
  nationalId: string,
  decision = 'approve',
): Promise<void> {
  const prompt = await promptFor(example, nationalId);
  const decided = await fetch(`${promptsOf(example)}/${prompt}/decision`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ decision }),
  });
  if (!decided.ok) throw new Error(`${decided.status} ${await decided.text()}`);
}

/** Presses the button of the launch page, where there is one, and decides on the provider's page. */
export async function decideInBrowser(
  page: Page,
  decision: 'approve' | 'refuse' = 'approve',
  person = 'amal',
): Promise<void> {
  await launchInBrowser(page);
  await page.getByTestId(testIds.person(person)).check();
  await page.getByTestId(testIds[decision]).click();
}

/** Goes on to the page where the person decides. */
export async function launchInBrowser(page: Page): Promise<void> {
  const launch = page.getByTestId(testIds.launch);
  const approve = page.getByTestId(testIds.approve);
  await launch.or(approve).waitFor();
  if (await launch.isVisible()) await launch.click();
  await approve.waitFor();
}
