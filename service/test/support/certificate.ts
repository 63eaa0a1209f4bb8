import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const DAY_MS = 24 * 3_600_000;

/** Tags of DER (ITU-T X.690), and the object identifiers in their encoded form. */
const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  set: 0x31,
  sequence: 0x30,
  utcTime: 0x17,
  version: 0xa0,
  dnsName: 0x82,
  extensions: 0xa3,
} as const;
const OID = {
  ecdsaWithSha256: '2a8648ce3d040302',
  commonName: '550403',
  subjectAltName: '551d11',
  basicConstraints: '551d13',
  extendedKeyUsage: '551d25',
  clientAuthentication: '2b06010505070302',
} as const;

const ALGORITHM = der(TAG.sequence, oid(OID.ecdsaWithSha256));

export interface Certified {
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly host: string;
}

export interface CertificateOptions {
  /** Null: signed by its own key. */
  readonly issuer?: Certified | null;
  /** Days from now. */
  readonly from?: number;
  readonly until?: number;
  /** The only thing that it may be used for is to prove who a client is. */
  readonly forClients?: boolean;
}

/** A key, and a certificate (RFC 5280) of an authority and server, as two files. */
export function certify(
  folder: string,
  name: string,
  host: string,
  options: CertificateOptions = {},
): Certified {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { issuer = null } = options;
  const signer = issuer === null ? privateKey : createPrivateKey(readFileSync(issuer.keyFile));
  const content = contentFor(host, publicKey.export({ type: 'spki', format: 'der' }), options);
  const signature = der(TAG.bits, Buffer.of(0), sign('sha256', content, signer));
  const certificateFile = join(folder, `${name}.crt`);
  const keyFile = join(folder, `${name}.key`);
  writeFileSync(certificateFile, asPem(der(TAG.sequence, content, ALGORITHM, signature)));
  writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  return { certificateFile, keyFile, host };
}

function contentFor(host: string, publicKey: Buffer, options: CertificateOptions): Buffer {
  const { issuer = null, from = -1, until = 1 } = options;
  return der(
    TAG.sequence,
    der(TAG.version, der(TAG.integer, Buffer.of(2))),
    der(TAG.integer, Buffer.of(1)),
    ALGORITHM,
    nameOf(issuer?.host ?? host),
    der(TAG.sequence, utcTimeIn(from), utcTimeIn(until)),
    nameOf(host),
    publicKey,
    der(TAG.extensions, der(TAG.sequence, ...extensionsFor(host, options))),
  );
}

function asPem(certificate: Buffer): string {
  const lines = (certificate.toString('base64').match(/.{1,64}/g) ?? []).join('\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

function extensionsFor(host: string, { forClients = false }: CertificateOptions): Buffer[] {
  const isAuthority = der(TAG.sequence, der(TAG.boolean, Buffer.of(0xff)));
  const purpose = der(TAG.sequence, oid(OID.clientAuthentication));
  const names = der(TAG.sequence, der(TAG.dnsName, Buffer.from(host)));
  return [
    der(TAG.sequence, oid(OID.basicConstraints), der(TAG.octets, isAuthority)),
    der(TAG.sequence, oid(OID.subjectAltName), der(TAG.octets, names)),
    ...(forClients ? [der(TAG.sequence, oid(OID.extendedKeyUsage), der(TAG.octets, purpose))] : []),
  ];
}

function nameOf(host: string): Buffer {
  const part = der(TAG.sequence, oid(OID.commonName), der(TAG.utf8, Buffer.from(host)));
  return der(TAG.sequence, der(TAG.set, part));
}

/** YYMMDDHHMMSSZ */
function utcTimeIn(days: number): Buffer {
  const digits = new Date(Date.now() + days * DAY_MS).toISOString().replaceAll(/\D/g, '');
  return der(TAG.utcTime, Buffer.from(`${digits.slice(2, 14)}Z`));
}

function oid(hex: string): Buffer {
  return der(TAG.oid, Buffer.from(hex, 'hex'));
}

function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.of(tag), lengthOf(content), content]);
}

function lengthOf({ length }: Buffer): Buffer {
  if (length < 0x80) return Buffer.of(length);
  if (length < 0x1_00) return Buffer.of(0x81, length);
  return Buffer.of(0x82, length >> 8, length & 0xff);
}
