import type { Read } from './names.ts';
import {
  isSecure,
  originOf,
  parseFixedPort,
  parseHost,
  parseList,
  parseSecureOrigin,
} from './values.ts';

/** The listener of the pages for operators. */
export interface OperatorConfig {
  readonly host: string;
  readonly port: number;
  /** An origin without a trailing slash: https, or http on a loopback address. */
  readonly url: string;
  readonly allowedHosts: readonly string[];
}

/** @param taken the ports of the other listeners. @returns null where `OPERATOR_PORT` is not set */
export function readOperator(
  read: Read,
  taken: readonly (number | null)[],
  faults: string[],
): OperatorConfig | null {
  const port = read<number | null>('OPERATOR_PORT', null, parseFixedPort);
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
  return { host, port, url, allowedHosts };
}
