import { resolve } from 'node:path';
import type { ComposeFile, ComposeService } from './compose-file.ts';

/** What a service is started in. */
export interface Place {
  /** The folder of the compose file. */
  readonly folder: string;
  readonly file: ComposeFile;
  /** Before the names of volumes, so that they are of this run alone. */
  readonly project: string;
}

type Options = {
  readonly [K in keyof ComposeService]-?: (
    value: Exclude<ComposeService[K], undefined>,
    place: Place,
  ) => readonly string[];
};

const none = () => [];

/** The options of `podman run` for each field. What is used elsewhere, or left out, gives none. */
const OPTIONS: Options = {
  image: none,
  command: none,
  networks: none,
  depends_on: none,
  ports: none,
  restart: none,
  user: (user) => [`--user=${user}`],
  read_only: (is) => (is ? ['--read-only', '--read-only-tmpfs=false'] : []),
  cap_drop: (names) => names.map((name) => `--cap-drop=${name}`),
  cap_add: (names) => names.map((name) => `--cap-add=${name}`),
  security_opt: (names) => names.map((name) => `--security-opt=${name.replace(':true', '')}`),
  pids_limit: (limit) => [`--pids-limit=${limit}`],
  mem_limit: (limit) => [`--memory=${limit}`],
  shm_size: (size) => [`--shm-size=${size}`],
  ulimits: none,
  env_file: (files, { folder }) => files.map((file) => `--env-file=${resolve(folder, file)}`),
  environment: (values) => Object.entries(values).map(([name, v]) => `--env=${name}=${v}`),
  secrets: (names, { folder, file }) =>
    names.map((name) => {
      const path = resolve(folder, file.secrets[name]?.file ?? '');
      return `--volume=${path}:/run/secrets/${name}:ro`;
    }),
  volumes: (volumes, place) => volumes.map((volume) => `--volume=${source(volume, place)}`),
  tmpfs: (paths) => paths.map((path) => `--tmpfs=${path}`),
  stop_signal: (signal) => [`--stop-signal=${signal}`],
  stop_grace_period: (period) => [`--stop-timeout=${Number.parseInt(period, 10)}`],
  // podman 4.3 does not read a list there. The first word of the file's is CMD.
  healthcheck: ({ test }) => [`--health-cmd=${test.slice(1).join(' ')}`],
};

/** Stated for each container, because podman's own are above what a machine of CI may give. */
const LIMITS = { nofile: 16_384, nproc: 4096 };

function limitsOf({ ulimits }: ComposeService): string[] {
  const limits = Object.entries({ ...LIMITS, ...ulimits });
  return limits.map(([name, limit]) => `--ulimit=${name}=${limit}:${limit}`);
}

/** @throws Error for a field that the tests would leave out without saying so */
export function optionsOf(service: ComposeService, place: Place): string[] {
  const options = Object.entries(service).flatMap(([name, value]) => {
    if (!(name in OPTIONS)) throw new Error(`the tests do not know ${name} of compose.yaml`);
    const option = OPTIONS[name as keyof Options] as (v: unknown, p: Place) => readonly string[];
    return option(value, place);
  });
  return [...limitsOf(service), ...options];
}

/** A path beside the file, or the name of a volume. */
function source(volume: string, { folder, file, project }: Place): string {
  const [from = '', ...rest] = volume.split(':');
  if (from in file.volumes) return [`${project}-${from}`, ...rest].join(':');
  return [resolve(folder, from), ...rest].join(':');
}
