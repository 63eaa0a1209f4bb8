import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { isIPv6 } from 'node:net';
import type { Answers } from '../../commands/init/set-up.ts';

/** The files for systemd: their names in the kit, and where each belongs. */
const PLACES = [
  ['miftah.service', '/etc/systemd/system/miftah.service'],
  ['miftah.socket', '/etc/systemd/system/miftah.socket'],
  ['miftah-port.service', '/etc/systemd/system/miftah-port.service'],
  ['miftah.sysusers', '/etc/sysusers.d/miftah.conf'],
  ['miftah.tmpfiles', '/etc/tmpfiles.d/miftah.conf'],
] as const;

export interface UnitFile {
  readonly path: string;
  readonly text: string;
}

/**
 * @param answers of a set-up, whose addresses the socket has to have
 * @throws Error where this program came without the files
 */
export function unitFiles(answers: Answers = {}): readonly UnitFile[] {
  const folder = kitFolders().find((one) => existsSync(join(one, PLACES[0][0])));
  if (folder === undefined) {
    throw new Error(
      '--systemd needs the folder share/deploy/systemd of a release: run bin/miftah of a release',
    );
  }
  return PLACES.map(([name, path]) => {
    const text = readFileSync(join(folder, name), 'utf8');
    return { path, text: name === 'miftah.socket' ? withAddresses(text, answers) : text };
  });
}

export const LISTENS_HERE = '127.0.0.1';

/** What stands for HOST in a socket of systemd, which takes addresses and no names. */
export const listenAddress = (host: string) => (host === 'localhost' ? LISTENS_HERE : host);

/** In the socket of the kit: the addresses that the settings have by default. */
function withAddresses(text: string, answers: Answers): string {
  const { HOST = LISTENS_HERE, PORT = '3000', METRICS_PORT = '9464' } = answers;
  const host = listenAddress(HOST);
  const api = `ListenStream=${isIPv6(host) ? `[${host}]` : host}:${PORT}`;
  const metrics = METRICS_PORT === '' ? '' : `ListenStream=${LISTENS_HERE}:${METRICS_PORT}`;
  return text
    .replace(/^ListenStream=.*:3000$/m, () => api)
    .replace(/^ListenStream=.*:9464$/m, () => metrics);
}

/** Of a release, whose own Node runs this, and of a checkout. */
function kitFolders(): string[] {
  const release = join(dirname(dirname(process.execPath)), 'share', 'deploy', 'systemd');
  const checkout = join(import.meta.dirname, '..', '..', '..', '..', 'deploy', 'systemd');
  return [release, checkout];
}
