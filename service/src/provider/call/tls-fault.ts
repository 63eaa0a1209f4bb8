import type { TlsFault } from '../../values/transport-fault.ts';

/** Names of Node and OpenSSL. Certificates: X509_V_ERR_ of OpenSSL, without that beginning. */
const KNOWN_CODES: Readonly<Record<string, TlsFault>> = {
  CERT_HAS_EXPIRED: 'certificate_expired',
  CERT_NOT_YET_VALID: 'certificate_not_yet_valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate_wrong_name',
  ERR_TLS_CERT_ALTNAME_FORMAT: 'certificate_wrong_name',
  HOSTNAME_MISMATCH: 'certificate_wrong_name',
  UNABLE_TO_GET_ISSUER_CERT: 'certificate_unknown_issuer',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate_unknown_issuer',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate_unknown_issuer',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate_unknown_issuer',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate_unknown_issuer',
  CERT_UNTRUSTED: 'certificate_unknown_issuer',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'tls_version',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'tls_version',
  ERR_SSL_NO_PROTOCOLS_AVAILABLE: 'tls_version',
};

const OTHER_CERTIFICATE_FAULT =
  /^(?:CERT_|CRL_|UNABLE_TO_|ERROR_IN_|INVALID_(?:CA|PURPOSE)$|PATH_LENGTH_EXCEEDED$)/;
const OTHER_TLS_FAULT = /^(?:ERR_(?:TLS|SSL)_|EPROTO$)/;

/** Null for the code of a fault that is not one of TLS. */
export function tlsFaultOf(code: string): TlsFault | null {
  const known = Object.hasOwn(KNOWN_CODES, code) ? KNOWN_CODES[code] : undefined;
  if (known !== undefined) return known;
  if (OTHER_CERTIFICATE_FAULT.test(code)) return 'certificate_invalid';
  return OTHER_TLS_FAULT.test(code) ? 'tls_failed' : null;
}
