import { isIP } from 'node:net';
import { Secret } from '../../values/secret.ts';

const DEFAULT_PORT = 5432;
const PARAMETERS = ['sslmode', 'sslrootcert', 'application_name', 'host', 'target_session_attrs'];
const TLS_MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
/** May be quoted in a message: no part of a password that was not encoded looks like this and `=`. */
const PARAMETER_NAME = /^[a-z_]{1,40}$/;

const CONTROL = /\p{Cc}/u;

/** As libpq names them. `require` encrypts, and does not look who the server is. */
export type TlsMode = (typeof TLS_MODES)[number];

export interface ServerAddress {
  /** A name, an IP address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
}

export interface DatabaseAddress {
  /** Several when the URL names several: the one that accepts writes is used. */
  readonly servers: readonly [ServerAddress, ...ServerAddress[]];
  readonly database: string;
  readonly user: string;
  readonly password: Secret | null;
  readonly tlsMode: TlsMode;
  /** The file with the certificates of the authorities that are trusted; null: those of Node. */
  readonly rootCertificateFile: string | null;
  readonly applicationName: string;
}

/** What is wrong with a database URL. The message quotes neither the user nor the password. */
export class DatabaseUrlError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DatabaseUrlError';
  }
}

/**
 * Reads `postgres://user:password@host:port,host2:port2/database?sslmode=verify-full`.
 * @throws DatabaseUrlError
 */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  const { authority, path, query } = takeApart(url);
  const { user, password, hosts } = readAuthority(authority);
  const parameters = readParameters(query);
  const servers = readServers(hosts === '' ? (parameters.get('host') ?? '') : hosts);
  const database = decoded(path.slice(1), 'the name of the database');
  if (database === '') throw new DatabaseUrlError('the name of the database is missing');
  const tlsMode = readTlsMode(parameters.get('sslmode'), servers);
  const rootCertificateFile = parameters.get('sslrootcert') ?? null;
  if (tlsMode === 'verify-ca' && rootCertificateFile === null) {
    // Every holder of a public certificate would pass for the server.
    throw new DatabaseUrlError('sslmode=verify-ca needs sslrootcert, the file of your authority');
  }
  return {
    servers,
    database,
    user,
    password,
    tlsMode,
    rootCertificateFile,
    applicationName: parameters.get('application_name') ?? 'miftah',
  };
}

function takeApart(url: string): { authority: string; path: string; query: string } {
  if (CONTROL.test(url)) {
    throw new DatabaseUrlError('it has a control character, such as the end of a line');
  }
  const match = /^postgres(?:ql)?:\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(url);
  if (match === null) throw new DatabaseUrlError('it has to begin with postgres://');
  const [, authority = '', path = '', query = '', fragment = ''] = match;
  if (fragment !== '' || path.includes('@') || query.includes('@')) {
    throw new DatabaseUrlError(
      'the characters @ / ? # in user and password have to be written as %40 %2F %3F %23',
    );
  }
  return { authority, path, query };
}

interface Authority {
  readonly user: string;
  readonly password: Secret | null;
  readonly hosts: string;
}

function readAuthority(authority: string): Authority {
  const parts = authority.split('@');
  if (parts.length > 2) throw new DatabaseUrlError('an @ in the password has to be written as %40');
  const [hosts = '', credentials = ''] = parts.toReversed();
  const [name = '', ...rest] = credentials.split(':');
  if (name === '') throw new DatabaseUrlError('the user is missing');
  const user = decoded(name, 'the user');
  if (rest.length === 0) return { user, password: null, hosts };
  return { user, password: new Secret(decoded(rest.join(':'), 'the password')), hosts };
}

function readParameters(query: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const pair of query.split('&').filter((text) => text !== '')) {
    const [name = '', ...value] = pair.split('=');
    if (!PARAMETERS.includes(name)) throw new DatabaseUrlError(unknownParameter(name, value));
    if (parameters.has(name)) throw new DatabaseUrlError(`the parameter ${name} is given twice`);
    parameters.set(name, decoded(value.join('='), `the parameter ${name}`));
  }
  const target = parameters.get('target_session_attrs') ?? 'read-write';
  if (target === 'read-write' || target === 'primary') return parameters;
  throw new DatabaseUrlError('target_session_attrs can only be read-write');
}

function unknownParameter(name: string, value: readonly string[]): string {
  const isQuotable = PARAMETER_NAME.test(name) && value.length > 0;
  const known = `known are ${PARAMETERS.join(', ')}`;
  return isQuotable
    ? `the parameter ${name} is not known; ${known}`
    : `it has a parameter that is not known; ${known}`;
}

function readServers(hosts: string): readonly [ServerAddress, ...ServerAddress[]] {
  const [first, ...others] = hosts.split(',').map(readServer);
  if (first === undefined) throw new DatabaseUrlError('the host is missing');
  return [first, ...others];
}

function readServer(text: string): ServerAddress {
  const match = /^(?:\[([^\]]+)\]|([^:[\]]*))(?::(\d{1,5}))?$/.exec(text);
  if (match === null) throw new DatabaseUrlError('the host or the port is malformed');
  const host = decoded(match[1] ?? match[2] ?? '', 'the host');
  if (host === '') throw new DatabaseUrlError('the host is missing');
  if (match[1] !== undefined && isIP(host) !== 6) {
    throw new DatabaseUrlError('what is in brackets is no IPv6 address');
  }
  return { host, port: readPort(match[3]) };
}

function readPort(text: string | undefined): number {
  if (text === undefined) return DEFAULT_PORT;
  const port = Number(text);
  if (port >= 1 && port <= 65_535) return port;
  throw new DatabaseUrlError('the port has to be between 1 and 65535');
}

/**
 * On the way to another machine nothing is sent in the clear that nobody has asked for. libpq's
 * `prefer` and `allow` are refused: whoever is in between can switch them off.
 */
function readTlsMode(given: string | undefined, servers: readonly ServerAddress[]): TlsMode {
  const mode = TLS_MODES.find((known) => known === given);
  if (mode !== undefined) return mode;
  const choices = 'sslmode=verify-full (or verify-ca, require, or disable on a private network)';
  if (given !== undefined) throw new DatabaseUrlError(`sslmode is not supported; write ${choices}`);
  if (servers.every(({ host }) => isOnThisMachine(host))) return 'disable';
  throw new DatabaseUrlError(`the server is on another machine: add ${choices}`);
}

function isOnThisMachine(host: string): boolean {
  const isLoopback = host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
  return host === 'localhost' || isLoopback || host.startsWith('/');
}

function decoded(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new DatabaseUrlError(`${what} has a % that is not followed by two hexadecimal digits`);
  }
}
