import type { Secret } from '../values/secret.ts';
import type { Name, Read, Values } from './names.ts';
import { nameInUse } from './source/secret-files.ts';
import {
  isSecure,
  originOf,
  parseFixedPort,
  parseCredential,
  parseHost,
  parseIssuer,
  parseList,
  parseSecureOrigin,
  parseText,
} from './values.ts';

/** The listener of the pages for operators. */
export interface OperatorConfig {
  readonly host: string;
  readonly port: number;
  /** An origin without a trailing slash: https, or http on a loopback address. */
  readonly url: string;
  readonly allowedHosts: readonly string[];
  /** Null: links sign in. */
  readonly people: OperatorPeople | null;
}

/** Who signs operators in, and where their roles are. */
export interface OperatorPeople {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: Secret;
  readonly rolesFile: string;
}

/** @param taken the ports of the other listeners. @returns null where `OPERATOR_PORT` is not set, or off */
export function readOperator(
  values: Values,
  read: Read,
  taken: readonly (number | null)[],
  faults: string[],
): OperatorConfig | null {
  const port = read<number | null>('OPERATOR_PORT', null, parseOwnPort);
  const host = read('OPERATOR_HOST', '127.0.0.1', parseHost);
  const url = read('OPERATOR_URL', originOf(host, port ?? 1), parseSecureOrigin);
  const allowedHosts = read('OPERATOR_ALLOWED_HOSTS', [], (text) => parseList(text, parseHost));
  if (port === null) return null;
  if (taken.includes(port)) {
    faults.push('OPERATOR_PORT must be another port than PORT and METRICS_PORT');
  }
  if (!isSecure(url)) {
    // A session over plain http could be read by whoever is in the network.
    faults.push('OPERATOR_URL is required, with https, where OPERATOR_HOST is no loopback address');
  }
  return { host, port, url, allowedHosts, people: readPeople(values, read, faults) };
}

const TOGETHER = [
  'OPERATOR_ISSUER',
  'OPERATOR_CLIENT_ID',
  'OPERATOR_CLIENT_SECRET',
  'OPERATOR_ROLES_FILE',
] as const satisfies readonly Name[];

function readPeople(values: Values, read: Read, faults: string[]): OperatorPeople | null {
  const missing = TOGETHER.filter((name) => values[nameInUse(name, values)] === undefined);
  if (missing.length === TOGETHER.length) return null;
  faults.push(...missing.map((name) => `${name} is needed where operators sign in at a provider`));
  const clientSecret = read<Secret | null>('OPERATOR_CLIENT_SECRET', null, parseCredential);
  const rest = {
    issuer: read('OPERATOR_ISSUER', '', parseSecureIssuer),
    clientId: read('OPERATOR_CLIENT_ID', '', parseText),
    rolesFile: read('OPERATOR_ROLES_FILE', '', String),
  };
  return clientSecret === null ? null : { ...rest, clientSecret };
}

/** In the environment an empty variable is not set, so it takes a word to turn off what a file turns on. */
const parseOwnPort = (text: string) => (text === 'off' ? null : parseFixedPort(text));

/** Whoever could change what it says would be an administrator. */
function parseSecureIssuer(text: string): string {
  const issuer = parseIssuer(text);
  if (URL.canParse(issuer) && isSecure(issuer)) return issuer;
  throw new Error('must be https, or http on a loopback address');
}
