import { dirname, join } from 'node:path';
import process from 'node:process';
import type { Answers, Place, SetUpResult } from '../../commands/init/set-up.ts';
import type { ImageSettings } from '../../config/source/image.ts';
import { shellWord } from '../../platform/shell-word.ts';

type Step = SetUpResult['next'][number];

/** Stands for the folder outside the container: this program can't know its path. */
const FOLDER = 'FOLDER';
const IMAGE = 'miftah';
const RIGHTS = '--read-only --cap-drop all --security-opt no-new-privileges';

/**
 * What is left to do after a set-up in the image, which has no shell: commands for the machine that
 * runs the containers.
 */
export function containerSteps(place: Place, answers: Answers, image: ImageSettings): Step[] {
  const settings = join(place.dir, 'miftah.env');
  const { PORT = '', PUBLIC_URL = '' } = answers;
  const options = [...networkOf(place), ...changed(answers, image), ...volumesOf(place, answers)];
  const run = [
    'podman run --detach --name miftah',
    RIGHTS,
    ...(place.isRehearsal ? [] : [`--publish 127.0.0.1:${PORT}:${PORT}`]),
    // The health check reads the environment, and no file of settings.
    `--env ${shellWord(`PUBLIC_URL=${PUBLIC_URL}`)}`,
    ...options,
    `${IMAGE} start --config ${shellWord(settings)}`,
  ];
  const doctor = ['podman run --rm', ...options, `${IMAGE} --config ${shellWord(settings)} doctor`];
  return [
    ...(place.isRehearsal ? [simulatorStep(place)] : []),
    [doctor.join(' '), 'looks for what is wrong, and changes nothing'],
    [run.join(' '), 'starts the service'],
  ];
}

const networkOf = ({ isRehearsal }: Place) => (isRehearsal ? ['--network host'] : []);

/** The environment of the image has priority over the file of settings. */
function changed(answers: Answers, image: ImageSettings): string[] {
  return Object.entries(image)
    .filter(([name, value]) => answers[name] !== value)
    .map(([name]) => `--env ${shellWord(`${name}=${answers[name] ?? ''}`)}`);
}

function volumesOf({ dir }: Place, { DATA_DIR = '', AUDIT_HEAD_FILE = '' }: Answers): string[] {
  return [
    volume(FOLDER, `${dir}:ro`),
    volume('miftah', DATA_DIR),
    volume('miftah-head', dirname(AUDIT_HEAD_FILE)),
  ];
}

const volume = (outside: string, inside: string) => `--volume ${shellWord(`${outside}:${inside}`)}`;

/** What no option of the engine can name: a colon ends the folder of a volume. */
export function volumeFaults({ dir }: Place, { DATA_DIR = '', AUDIT_HEAD_FILE = '' }: Answers) {
  return [dir, DATA_DIR, dirname(AUDIT_HEAD_FILE)]
    .filter((path) => path.includes(':'))
    .map((path) => `${path} has a colon, which ends the name of a folder in --volume`);
}

function simulatorStep(place: Place): Step {
  const node = process.execPath;
  const library = join(dirname(dirname(node)), 'lib', 'node_modules');
  const parts = [
    'podman run --detach --name miftah-simulator',
    RIGHTS,
    ...networkOf(place),
    `--env-file ${FOLDER}/simulator.env ${volume(FOLDER, place.dir)} --entrypoint ${node}`,
    `${IMAGE} ${join(library, '@miftah', 'simulator', 'bin', 'miftah-simulator.mjs')}`,
  ];
  return [parts.join(' '), 'starts the simulator, as the provider'];
}

export function containerNotes({ dir, isRehearsal }: Place, answers: Answers): string[] {
  const proxies = answers['TRUSTED_PROXIES'] ?? '';
  return [
    `The commands below run on the machine of the containers; docker takes the same options. ` +
      `${FOLDER} stands for the folder there that is mounted at ${dir}, by its full path, and ` +
      `${IMAGE} before the command for the name of the image. docs/containers.md has the limits ` +
      'that a container should be given.',
    ...(proxies === '' || isRehearsal
      ? []
      : [
          `TRUSTED_PROXIES is ${proxies} in ${join(dir, 'miftah.env')}: it has to be the address ` +
            'at which the container sees the proxy.',
        ]),
  ];
}
