import { readRegularFile } from '@miftah/schema/regular-file';
import type { ConnectionOptions } from 'node:tls';
import type { ClientConfig } from 'pg';
import type { Secret } from '../../../values/secret.ts';
import type { DatabaseAddress, ServerAddress } from '../connection-url.ts';

/** More than the certificates of all public authorities take. */
const CERTIFICATES_BYTES = 4 * 1024 * 1024;

/**
 * What the driver needs for one server. Everything that it would otherwise read from environment
 * variables (PGUSER, PGPASSWORD, PGSSLMODE and others) is given, so that only the settings of the
 * service decide.
 * @throws Error when the file of the root certificates can't be read
 */
export function clientConfigOf(
  address: DatabaseAddress,
  server: ServerAddress,
  password: Secret | null = address.password,
): ClientConfig {
  return {
    host: server.host,
    port: server.port,
    database: address.database,
    user: address.user,
    // A function, so that no configuration object holds the password as text.
    password: () => password?.reveal() ?? '',
    ssl: tlsOf(address),
    sslnegotiation: 'postgres',
    application_name: address.applicationName,
  };
}

/** The meaning that libpq gives to the modes; the driver's own reading of them differs. */
function tlsOf({ tlsMode, rootCertificateFile }: DatabaseAddress): ConnectionOptions | false {
  if (tlsMode === 'disable') return false;
  const ca =
    rootCertificateFile === null
      ? {}
      : { ca: readRegularFile(rootCertificateFile, CERTIFICATES_BYTES) };
  if (tlsMode === 'verify-full') return { ...ca, rejectUnauthorized: true };
  if (tlsMode === 'require' && rootCertificateFile === null) return { rejectUnauthorized: false };
  return { ...ca, rejectUnauthorized: true, checkServerIdentity: () => undefined };
}
