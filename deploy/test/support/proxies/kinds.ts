import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const PROXY_FOLDER = join(import.meta.dirname, '../../../proxy');

export const PROXY_FILES = readdirSync(PROXY_FOLDER);

/** The name in the configurations. Tests use it as it is, and connect to where the proxy is. */
export const HOST = 'login.example.com';

/** What an operator enters in a configuration. */
export interface Places {
  /** Of this run: logs, and what the proxy wants to write. */
  readonly folder: string;
  readonly httpPort: number;
  readonly httpsPort: number;
  /** One or two instances: ports of this machine. */
  readonly instances: readonly number[];
}

export interface ProxyKind {
  readonly name: 'nginx' | 'HAProxy' | 'Caddy';
  readonly program: string;
  /** The configuration with its places filled in. */
  render(places: Places): string;
  args(configFile: string): readonly string[];
}

/** Programs that are not started by root can't become another user. */
const isRoot = process.getuid?.() === 0;

const NGINX: ProxyKind = {
  name: 'nginx',
  program: 'nginx',
  render: ({ folder, httpPort, httpsPort, instances }) =>
    replaced('nginx.conf', [
      ...certificates(folder),
      [/^user .*\n/gm, isRoot ? '$&' : ''],
      ['/run/nginx.pid', join(folder, 'nginx.pid')],
      ['/var/log/nginx', folder],
      ['http {\n', `http {\n${temporaryFolders(folder)}`],
      [/listen (\[::\]:)?(80|443)\b/g, (_, v6, port) => listenAt(v6, port, httpPort, httpsPort)],
      ...instanceLines(instances, '# server 127.0.0.1:3001', 'server 127.0.0.1:3001'),
    ]),
  args: (file) => ['-c', file, '-g', 'daemon off;'],
};

const HAPROXY: ProxyKind = {
  name: 'HAProxy',
  program: 'haproxy',
  render: ({ folder, httpPort, httpsPort, instances }) =>
    replaced('haproxy.cfg', [
      ...certificates(folder),
      [/^ {2}(user|group|chroot) .*\n/gm, isRoot ? '$&' : ''],
      [/bind :::(80|443)\b/g, (_, port) => `bind ::1:${port === '80' ? httpPort : httpsPort}`],
      [/bind :(80|443)\b/g, (_, port) => `bind 127.0.0.1:${port === '80' ? httpPort : httpsPort}`],
      ...instanceLines(instances, '# server two', 'server two'),
    ]),
  args: (file) => ['-db', '-f', file],
};

const CADDY: ProxyKind = {
  name: 'Caddy',
  program: 'caddy',
  render: ({ folder, httpPort, httpsPort, instances }) =>
    replaced('Caddyfile', [
      ...certificates(folder),
      [
        '\tadmin off\n',
        `\tadmin off\n\tdefault_bind 127.0.0.1 ::1\n\thttp_port ${httpPort}\n\thttps_port ${httpsPort}\n`,
      ],
      ...instanceLines(instances, '# to 127.0.0.1:3001', 'to 127.0.0.1:3001'),
    ]),
  args: (file) => ['run', '--config', file, '--adapter', 'caddyfile'],
};

export const KINDS: readonly ProxyKind[] = [NGINX, HAPROXY, CADDY];

/** @throws Error when there is none */
export function kindOf(name: string): ProxyKind {
  const kind = KINDS.find((one) => one.name === name);
  if (kind === undefined) throw new Error(`no proxy is called ${name}`);
  return kind;
}

type Replacement =
  readonly [string | RegExp, string] | readonly [RegExp, (...found: readonly string[]) => string];

export const configurationOf = (file: string) => readFileSync(join(PROXY_FOLDER, file), 'utf8');

/** @throws Error when a place is not in the file */
function replaced(file: string, replacements: readonly Replacement[]): string {
  let text = configurationOf(file);
  for (const [place, value] of replacements) {
    const isThere = typeof place === 'string' ? text.includes(place) : text.search(place) !== -1;
    if (!isThere) throw new Error(`${file} does not have ${String(place)}`);
    text = typeof value === 'string' ? text.replaceAll(place, value) : text.replace(place, value);
  }
  return text;
}

function certificates(folder: string): readonly Replacement[] {
  return [['/etc/miftah-proxy', folder]];
}

function instanceLines(
  [one = 0, two]: readonly number[],
  off: string,
  on: string,
): readonly Replacement[] {
  const second: readonly Replacement[] = two === undefined ? [] : [[off, on]];
  return [
    ...second,
    ['127.0.0.1:3000', `127.0.0.1:${one}`],
    ['127.0.0.1:3001', `127.0.0.1:${two ?? 1}`],
  ];
}

function listenAt(v6: string | undefined, port: string | undefined, http: number, https: number) {
  return `listen ${v6 === undefined ? '127.0.0.1' : '[::1]'}:${port === '80' ? http : https}`;
}

/** Debian's are below /var/lib, for root alone. */
function temporaryFolders(folder: string): string {
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return places.map((name) => `  ${name}_temp_path ${join(folder, name)};\n`).join('');
}
