import { lookup } from 'node:dns/promises';
import { readFileSync, readlinkSync } from 'node:fs';
import { isIPv6, SocketAddress } from 'node:net';
import { ConfigError, type Config } from '../config/config.ts';

/** A listening socket that another program has opened and holds, such as systemd. */
export interface InheritedSocket {
  readonly fd: number;
  readonly address: string;
  readonly port: number;
}

/** null where the service opens the socket itself. */
export interface InheritedSockets {
  readonly api: InheritedSocket | null;
  readonly metrics: InheritedSocket | null;
}

export const NO_SOCKETS: InheritedSockets = { api: null, metrics: null };

type Settings = Pick<Config, 'host' | 'port' | 'metricsHost' | 'metricsPort'>;

/**
 * Says which socket is for what, by its address. None is read from before that.
 * @throws ConfigError for a socket that has no address of the settings
 */
export async function chooseSockets(
  descriptors: readonly number[],
  settings: Settings,
): Promise<InheritedSockets> {
  if (descriptors.length === 0) return NO_SOCKETS;
  const sockets = descriptors.map((fd) => socketOf(fd));
  const { host, port, metricsHost, metricsPort } = settings;
  const api = await findSocket(sockets, host, port);
  const metrics = metricsPort === null ? null : await findSocket(sockets, metricsHost, metricsPort);
  const unknown = sockets.filter((socket) => socket !== api && socket !== metrics);
  if (unknown.length > 0) throw new ConfigError(unknown.map((one) => faultOf(one, settings)));
  return { api, metrics };
}

async function findSocket(
  sockets: readonly InheritedSocket[],
  host: string,
  port: number,
): Promise<InheritedSocket | null> {
  const known = await lookup(host, { all: true }).catch(() => []);
  const addresses = new Set(known.map(({ address }) => canonical(address)));
  const isFor = (one: InheritedSocket) => one.port === port && addresses.has(one.address);
  return sockets.find(isFor) ?? null;
}

function faultOf({ address, port }: InheritedSocket, settings: Settings): string {
  const { metricsHost, metricsPort } = settings;
  const ofMetrics =
    metricsPort === null
      ? 'METRICS_PORT is not set'
      : `METRICS_HOST and METRICS_PORT say ${withPort(metricsHost, metricsPort)}`;
  return (
    `a socket that systemd holds for the service listens on ${withPort(address, port)}, but HOST ` +
    `and PORT say ${withPort(settings.host, settings.port)}, and ${ofMetrics}: change ` +
    'ListenStream (systemctl edit miftah.socket), or these settings'
  );
}

const withPort = (host: string, port: number) => `${isIPv6(host) ? `[${host}]` : host}:${port}`;

/** Node tells the address of a socket only after it has begun to accept connections. */
function socketOf(fd: number): InheritedSocket {
  const [, inode = ''] = /^socket:\[(\d+)\]$/.exec(linkOf(fd)) ?? [];
  for (const table of ['tcp', 'tcp6']) {
    for (const line of linesOf(`/proc/self/net/${table}`)) {
      const [, local = '', , state, , , , , , owner] = line.trim().split(/\s+/);
      if (owner !== inode || state !== LISTENS) continue;
      const [address = '', port = ''] = local.split(':');
      return { fd, address: addressOf(address), port: Number.parseInt(port, 16) };
    }
  }
  throw new ConfigError([`LISTEN_FDS: the descriptor ${fd} is no TCP socket that listens`]);
}

/** The state of a socket that listens, in the tables of the system. */
const LISTENS = '0A';

function linkOf(fd: number): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return '';
  }
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch {
    return [];
  }
}

/** The tables have words of four bytes, with the last byte first. */
function addressOf(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) =>
    [...Buffer.from(word, 'hex')].toReversed(),
  );
  if (bytes.length === 4) return bytes.join('.');
  return canonical(
    Buffer.from(bytes)
      .toString('hex')
      .replace(/.{4}(?=.)/g, '$&:'),
  );
}

function canonical(address: string): string {
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  return new SocketAddress({ address, family }).address;
}
