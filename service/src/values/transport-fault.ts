/**
 * Why a connection could not be secured (TLS). Repeating does not help.
 *
 * - `certificate_expired`: its last day is over, by the clock of this machine.
 * - `certificate_not_yet_valid`: its first day is to come, by the clock of this machine.
 * - `certificate_wrong_name`: it is for other hosts than the one that was asked.
 * - `certificate_unknown_issuer`: no authority that this machine trusts vouches for it; it may be
 *   signed by itself, or come without the certificates between it and its authority.
 * - `certificate_invalid`: it was revoked, is not for servers, or is wrong in another way.
 * - `tls_version`: the two have no version of TLS in common.
 * - `tls_failed`: anything else, such as a server that does not speak TLS.
 */
const TLS_FAULTS = [
  'certificate_expired',
  'certificate_not_yet_valid',
  'certificate_wrong_name',
  'certificate_unknown_issuer',
  'certificate_invalid',
  'tls_version',
  'tls_failed',
] as const;

export type TlsFault = (typeof TLS_FAULTS)[number];

export function isTlsFault(kind: TransportFaultKind): kind is TlsFault {
  return TLS_FAULTS.some((one) => one === kind);
}

/**
 * How far a request without an answer got.
 *
 * - A `TlsFault`: the connection could not be secured, so nothing was sent.
 * - `not_sent`: no connection was made, so the provider did not receive it.
 * - `lost`: the request may have arrived, but the answer did not.
 * - `timeout`: the deadline passed; the request may have arrived.
 */
export type TransportFaultKind = TlsFault | 'not_sent' | 'lost' | 'timeout';
