import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import type { CommandContext } from '../../commands/command-context.ts';
import {
  refuse,
  SYSTEM_DIR,
  type Answers,
  type SetUpRequest,
} from '../../commands/init/questions.ts';
import { shellWord } from '../../platform/shell-word.ts';
import { hasSimulator } from '../../simulate/hosted/optional-simulator.ts';
import { allFaults, collect } from './collect.ts';
import {
  clientsText,
  secretFile,
  settingsText,
  simulatorFaults,
  simulatorText,
  type Place,
} from './texts.ts';
import { obstacles, untrustedFolders, writePlan, type Plan } from './write-files.ts';

type Context = Parameters<CommandContext['setUp']>[1];

/** @throws SetUpError with everything that keeps it from writing; then nothing is written */
export async function setUp(request: SetUpRequest, context: Context): Promise<void> {
  const place = placeOf(request);
  const defaults = {
    ...dataPlaces(place.dir),
    ...portOf(request.flags['PUBLIC_URL'] ?? ''),
    ...(place.isRehearsal ? { PROVIDER_APP_KEY: keyOf(context, 'hex') } : {}),
  };
  const isAsked = request.mayAsk && !place.isRehearsal;
  if (isAsked) context.tell('Nothing is written before the last answer; Ctrl-C ends it.');
  const answers = await collect(request, defaults, isAsked ? context.ask : null);
  await write(place, answers, context);
}

const keyOf = ({ random }: Pick<Context, 'random'>, encoding: 'hex' | 'base64url') =>
  Buffer.from(random.bytes(32)).toString(encoding);

/** Looks at the place before anything is asked. @throws SetUpError that names what is in the way */
export function placeOf(
  { dir: given, isRehearsal }: Pick<SetUpRequest, 'dir' | 'isRehearsal'>,
  isInstalled = hasSimulator(),
): Place {
  // It would be the folder from which the command is called, as with an unset variable.
  if (given.trim() === '') refuse(['--dir is empty: name a folder, or leave it out']);
  const dir = resolve(given);
  const isOdd = !/^[^\p{Cc}"'`\\#]+$/u.test(dir);
  refuse([
    ...(isOdd ? [`${JSON.stringify(dir)} has a character that settings can't hold`] : []),
    ...(isRehearsal && !isInstalled ? [NO_SIMULATOR] : []),
  ]);
  const place = { dir, isRehearsal };
  refuseObstacles(planOf(place, dataPlaces(dir)));
  return place;
}

const NO_SIMULATOR =
  '--rehearse needs the simulator, which is not installed here: a release or an image that was ' +
  'made without --live has it, and so has npm with @miftah/simulator. Rehearse with one of them, ' +
  'on a machine of your own';

function dataPlaces(dir: string) {
  const [data, head] =
    dir === SYSTEM_DIR
      ? ['/var/lib/miftah', '/var/lib/miftah-head']
      : [join(dir, 'data'), join(dir, 'head')];
  return { DATA_DIR: data, AUDIT_HEAD_FILE: join(head, 'audit-head') };
}

/** The service listens where its address leads without a proxy: http is for this machine alone. */
function portOf(publicUrl: string) {
  const { protocol, port } = URL.parse(publicUrl) ?? new URL('http://unknown.invalid');
  return protocol === 'http:' && port !== '' ? { PORT: port } : {};
}

function planOf(place: Place, answers: Answers, secretKey = '', clientKey = ''): Plan {
  const { dir, isRehearsal } = place;
  const { DATA_DIR = '', AUDIT_HEAD_FILE = '' } = answers;
  const secrets: Answers = { ...answers, SECRET_KEY: secretKey };
  const files = [
    ...SECRETS.map((name) => [secretFile(dir, name), secrets[name] ?? ''] as const)
      .filter(([, text]) => text !== '')
      .map(([path, text]) => ({ path, text: `${text}\n` })),
    { path: join(dir, 'clients.json'), text: clientsText(answers, clientKey) },
    ...(isRehearsal
      ? [{ path: join(dir, 'simulator.env'), text: simulatorText(dir, answers) }]
      : []),
    { path: join(dir, 'miftah.env'), text: settingsText(place, answers) },
  ];
  return { dir, secrets: join(dir, 'secrets'), data: [DATA_DIR, dirname(AUDIT_HEAD_FILE)], files };
}

const SECRETS = ['SECRET_KEY', 'DATABASE_URL', 'PROVIDER_APP_ID', 'PROVIDER_APP_KEY'] as const;

/** @throws SetUpError; of a folder that others may change only the folder is told */
function refuseObstacles(plan: Plan): void {
  refuse(untrustedFolders(plan));
  refuse(obstacles(plan));
}

/** Writes all files or none. @throws SetUpError, and Error where the key could not be printed */
export async function write(place: Place, said: Answers, context: Context): Promise<void> {
  const { DATA_DIR = '', AUDIT_HEAD_FILE = '' } = said;
  // The settings are read from any folder.
  const places = { DATA_DIR: resolve(DATA_DIR), AUDIT_HEAD_FILE: resolve(AUDIT_HEAD_FILE) };
  const answers: Answers = { ...said, ...places };
  const secretKey = keyOf(context, 'hex');
  const clientKey = `mfk_${keyOf(context, 'base64url')}`;
  refuse([
    ...allFaults(answers, place.isRehearsal, secretKey),
    ...(place.isRehearsal ? simulatorFaults(place.dir, answers) : []),
  ]);
  const plan = planOf(place, answers, secretKey, clientKey);
  refuse(sharedFaults(plan, places));
  refuseObstacles(plan);
  await undisturbed(async () => {
    try {
      writePlan(plan);
    } catch (error) {
      refuse([error instanceof Error ? error.message : String(error)]);
    }
    await tell(place, answers['client.id'] ?? '', clientKey, context);
  });
}

/** The service can't write where the set-up does. */
function sharedFaults({ dir, secrets, data, files }: Plan, places: Answers): string[] {
  const written = [secrets, ...files.map(({ path }) => path)];
  const taken: Readonly<Record<string, readonly string[]>> = {
    DATA_DIR: written,
    AUDIT_HEAD_FILE: ['/', dir, ...data, ...written],
  };
  return Object.entries(places)
    .filter(([name, path]) => taken[name]?.includes(path))
    .map(([name, path]) => `${name} is ${path}, which is for something else: name another path`);
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const wait = () => undefined;

/** A signal that comes meanwhile does nothing: of files without their key nobody could use any. */
async function undisturbed(work: () => Promise<void>): Promise<void> {
  for (const signal of SIGNALS) process.on(signal, wait);
  try {
    await work();
  } finally {
    for (const signal of SIGNALS) process.removeListener(signal, wait);
  }
}

const startOf = (dir: string, runner: string) => [
  'Start the simulator in one terminal, and the service in another one:',
  `  (set -a; . ${shellWord(join(dir, 'simulator.env'))}; exec ${runner}miftah-simulator)`,
  `  ${runner}miftah start --config ${shellWord(join(dir, 'miftah.env'))}`,
  '',
];

/** Until then the files are root's alone. */
const GIVE_AWAY =
  'With systemd, `systemd-tmpfiles --create miftah.conf` gives the files to the user of the service.';

/** @throws Error that says how to get another key, where this one could not be printed */
async function tell(
  { dir, isRehearsal }: Place,
  application: string,
  clientKey: string,
  { deliver, runner }: Pick<Context, 'deliver' | 'runner'>,
): Promise<void> {
  const files = [
    `Written into ${dir}:`,
    '  miftah.env     the settings',
    '  clients.json   the applications that may use the service',
    ...(isRehearsal ? ['  simulator.env  the settings of the simulator'] : []),
    '  secrets/       a file for each secret',
    '',
  ];
  const key = [
    `The key of the application ${application}, which is stored nowhere:`,
    `  ${clientKey}`,
    `Give it to the application now, as a secret. \`${runner}miftah client key\` makes another one.`,
    '',
  ];
  const rest = [
    `Keep a copy of ${secretFile(dir, 'SECRET_KEY')} away from this machine and from its backups: ` +
      'without it the people in the database are lost.',
    '',
    ...(isRehearsal ? startOf(dir, runner) : []),
    ...(dir === SYSTEM_DIR ? [GIVE_AWAY] : []),
    `Next: ${isRehearsal ? 'step 3' : 'the rest of step 4'} of docs/going-live.md; in a container ` +
      'docs/containers.md.',
  ];
  try {
    await deliver(`${[...files, ...key, ...rest].join('\n')}\n`);
  } catch (error) {
    const lost =
      `the set-up is written, but the key of the application ${application} could not be printed ` +
      `(${error instanceof Error ? error.message : ''}), and it is stored nowhere. Call ` +
      `\`${runner}miftah client key\`, which prints another one: put its hash in the place of ` +
      `the one in "keys" of ${join(dir, 'clients.json')}, and give the key to the application.`;
    throw new Error([lost, '', ...files, ...rest].join('\n'), { cause: error });
  }
}
