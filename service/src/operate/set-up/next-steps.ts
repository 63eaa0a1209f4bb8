import { existsSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import type { Answers, Place, SetUpResult } from '../../commands/init/set-up.ts';
import type { ImageSettings } from '../../config/source/image.ts';
import { shellWord } from '../../platform/shell-word.ts';
import { SIMULATOR_PACKAGE } from '../../simulate/hosted/optional-simulator.ts';
import { isRoot, serviceUser, SERVICE_USER } from './owner.ts';
import { containerNotes, containerSteps } from './container-steps.ts';

type Steps = Pick<SetUpResult, 'next' | 'notes'>;
type Step = SetUpResult['next'][number];

/**
 * What is left to do after a set-up, and what has to be known. Called before anything is written:
 * what is there was there before.
 */
export function nextSteps(place: Place, answers: Answers, image: ImageSettings | null): Steps {
  const settings = join(place.dir, 'miftah.env');
  const notes = [
    keyNote(join(place.dir, 'secrets', 'secret-key')),
    ...(place.isRehearsal ? [] : callbackNotes(answers)),
  ];
  if (image !== null) {
    return {
      next: containerSteps(place, answers, image),
      notes: [...notes, ...containerNotes(place, answers)],
    };
  }
  if (place.hasUnit) return { next: UNIT_STEPS, notes: [...notes, ...missingRelease(place)] };
  // A rehearsal is its person's own; a live service is no matter for root.
  const hasUser = isRoot() && !place.isRehearsal;
  const program = `${hasUser ? `runuser -u ${SERVICE_USER} -- ` : ''}${commandOf('miftah', '..')}`;
  const next: Step[] = [
    ...(hasUser && serviceUser(place.root) === null ? userSteps(place, answers) : []),
    [
      `${program} --config ${shellWord(settings)} doctor`,
      'looks for what is wrong, and changes nothing',
    ],
    [`${program} start --config ${shellWord(settings)}`, 'starts the service'],
  ];
  return { next: place.isRehearsal ? [simulatorStep(place.dir), ...next] : next, notes };
}

/**
 * With this user at hand, the set-up gives the files their owners itself. Of the folders of data only
 * those are given away that are still to be made: one that is there may have more in it.
 */
function userSteps({ dir, root }: Place, { DATA_DIR = '', AUDIT_HEAD_FILE = '' }: Answers): Step[] {
  const data = [DATA_DIR, dirname(AUDIT_HEAD_FILE)].filter(
    (path) => path !== dir && !existsSync(join(root, path)),
  );
  const files = words([join(dir, 'miftah.env'), join(dir, 'clients.json')]);
  const own = words([join(dir, 'secrets'), ...data]);
  return [
    [
      `useradd --system --shell /usr/sbin/nologin ${SERVICE_USER}`,
      'makes the user of the service, which is not there yet',
    ],
    [
      `chown -R root:${SERVICE_USER} ${shellWord(dir)}`,
      'settings stay with root, so that the service can read them and not change them',
    ],
    [`chmod 750 ${shellWord(dir)} && chmod 640 ${files}`, 'lets the service read them'],
    [`chown -R ${SERVICE_USER}:${SERVICE_USER} ${own}`, 'gives the service its secrets and data'],
  ];
}

const words = (paths: readonly string[]) => [...new Set(paths)].map(shellWord).join(' ');

const UNIT_STEPS: readonly Step[] = [
  ['systemd-sysusers miftah.conf', 'makes the user miftah'],
  ['systemd-tmpfiles --create miftah.conf', 'makes the folders, and sets owners and modes'],
  [
    'ln -sf /opt/miftah/share/deploy/systemd/miftah-admin /usr/local/sbin/miftah-admin',
    'the command of the operator',
  ],
  ['systemctl daemon-reload', 'reads the unit'],
  ['miftah-admin doctor', 'looks for what is wrong, and changes nothing'],
  ['systemctl enable --now miftah', 'starts the service, now and at each boot'],
];

function simulatorStep(dir: string): Step {
  const settings = shellWord(join(dir, 'simulator.env'));
  const command = commandOf('miftah-simulator', SIMULATOR_PACKAGE);
  const line = `(set -a; . ${settings}; exec ${command})`;
  return [line, 'starts the simulator, as the provider; in a terminal of its own'];
}

/**
 * As it can be called from any folder. By full paths, because npx would ask the registry for a
 * program that it does not find there.
 * @param from the name of the package, or `..` for this one
 */
function commandOf(program: string, from: string): string {
  const release = join(dirname(process.execPath), program);
  if (existsSync(release)) return shellWord(release);
  const folder = dirname(findPackageJSON(from, import.meta.url) ?? '');
  // Published packages have their programs in `bin`.
  const file = ['bin', '.'].map((one) => join(folder, one, `${program}.mjs`)).find(existsSync);
  return file === undefined
    ? `npx --no ${program}`
    : `${shellWord(process.execPath)} ${shellWord(file)}`;
}

const keyNote = (path: string) =>
  `Keep a copy of ${path} away from this machine and from its backups: without it the people in ` +
  'the database are lost.';

function callbackNotes({ PUBLIC_URL = '', PROVIDER_MFA_CALLBACK = '' }: Answers): string[] {
  const browser = `${PUBLIC_URL}/api/v1/callback`;
  const phone = `${PUBLIC_URL}/api/v1/provider/mfa-callback`;
  return [
    `The provider has to register ${browser} for browsers` +
      (PROVIDER_MFA_CALLBACK === 'registered' ? `, and ${phone} for results of pushes.` : '.'),
  ];
}

const RELEASE = '/opt/miftah/bin/miftah';

function missingRelease({ root }: Place): string[] {
  return existsSync(join(root, RELEASE))
    ? []
    : [`The unit runs ${RELEASE}, which is not there yet: put the release in /opt/miftah first.`];
}
