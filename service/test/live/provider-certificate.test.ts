import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { createServer as createPlainServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { getCACertificates, setDefaultCACertificates, type SecureContextOptions } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import type { TlsFault } from '../../src/values/transport-fault.ts';
import { temporaryFolder } from '../support/at-end.ts';
import { certify, type CertificateOptions, type Certified } from '../support/certificate.ts';
import { openLive } from '../support/live/live-service.ts';
import { diagnosisIn } from '../support/programs/diagnosis.ts';
import { runMiftah } from '../support/programs/operator.ts';

/** What an operator reads where the connection to the provider can't be secured, and why. */

const HOST = 'localhost';

/** An authority that this process trusts until the test ends. */
function trustedAuthority(folder: string): Certified {
  const authority = certify(folder, 'authority', 'authority.example');
  const before = getCACertificates('default');
  onTestFinished(() => setDefaultCACertificates(before));
  setDefaultCACertificates([...before, readFileSync(authority.certificateFile, 'utf8')]);
  return authority;
}

type Served = (folder: string, authority: Certified) => SecureContextOptions;

/** A server with a certificate of the trusted authority. */
function issued(options: CertificateOptions, host = HOST): Served {
  return (folder, issuer) => filesOf(certify(folder, 'leaf', host, { issuer, ...options }));
}

function filesOf({ certificateFile, keyFile }: Certified): SecureContextOptions {
  return { cert: readFileSync(certificateFile), key: readFileSync(keyFile) };
}

/** The certificate between the server's and the authority is not sent. */
const incomplete: Served = (folder, authority) => {
  const between = certify(folder, 'between', 'between.example', { issuer: authority });
  return filesOf(certify(folder, 'leaf', HOST, { issuer: between }));
};

/** The whole chain, up to an authority that nobody knows. */
const unknown: Served = (folder) => {
  const stranger = certify(folder, 'stranger', 'stranger.example');
  const { cert, key } = filesOf(certify(folder, 'leaf', HOST, { issuer: stranger }));
  return { cert: `${String(cert)}${readFileSync(stranger.certificateFile, 'utf8')}`, key };
};

const old: Served = (folder, authority) => ({
  ...issued({})(folder, authority),
  minVersion: 'TLSv1',
  maxVersion: 'TLSv1.1',
  ciphers: 'DEFAULT@SECLEVEL=0',
});

const ROWS: readonly (readonly [TlsFault, string, Served | null, RegExp, RegExp])[] = [
  [
    'certificate_expired',
    'CERT_HAS_EXPIRED',
    issued({ from: -3, until: -1 }),
    /its certificate, or one above it in its chain, has expired/,
    /`authorities\.file` says that some .* the provider has to renew it/,
  ],
  [
    'certificate_not_yet_valid',
    'CERT_NOT_YET_VALID',
    issued({ from: 1, until: 3 }),
    /its certificate is not valid yet/,
    /The clock of this machine is probably behind/,
  ],
  [
    'certificate_wrong_name',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    issued({}, 'elsewhere.example'),
    /its certificate is for another host name/,
    /Correct the host name in PROVIDER_URL/,
  ],
  [
    'certificate_unknown_issuer',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    (folder) => filesOf(certify(folder, 'leaf', HOST)),
    /the issuer of its certificate is unknown here/,
    /This command was given no NODE_EXTRA_CA_CERTS .*\/etc\/miftah\/environment/,
  ],
  [
    'certificate_unknown_issuer',
    'SELF_SIGNED_CERT_IN_CHAIN',
    unknown,
    /the issuer of its certificate is unknown here/,
    /NODE_EXTRA_CA_CERTS/,
  ],
  [
    'certificate_unknown_issuer',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    incomplete,
    /the issuer of its certificate is unknown here/,
    /the provider has to send the whole chain/,
  ],
  [
    'certificate_invalid',
    'INVALID_PURPOSE',
    issued({ forClients: true }),
    /its certificate is not valid, or was revoked/,
    /valid certificate for servers/,
  ],
  [
    'tls_version',
    'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    old,
    /it offers no version of TLS that is safe/,
    /TLS 1\.2 or 1\.3/,
  ],
  [
    'tls_failed',
    'ERR_SSL_WRONG_VERSION_NUMBER',
    null,
    /the connection could not be secured/,
    /Check host and port in PROVIDER_URL/,
  ],
];

/** @param served null: a server that speaks no TLS */
async function openServer(served: Served | null): Promise<string> {
  const folder = temporaryFolder('certificates');
  const authority = trustedAuthority(folder);
  const server =
    served === null
      ? createPlainServer((socket) => void socket.on('error', () => undefined).end('HTTP/1.1 400'))
      : createServer(served(folder, authority), (_, answer) => void answer.end('{}'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `https://${HOST}:${(server.address() as AddressInfo).port}`;
}

/** The attempt of the only call that is recorded. */
function onlyAttempt(dataDir: string): string {
  const store = new DatabaseSync(join(dataDir, 'miftah.db'), { readOnly: true });
  const rows = store.prepare('SELECT attempt_id FROM provider_calls').all();
  store.close();
  expect(rows).toHaveLength(1);
  return String(rows[0]?.['attempt_id']);
}

/** The levels of the log's lines that have this reason. */
function levelsOf(log: string, reason: string): unknown[] {
  const lines = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const found = lines.filter((line) => line['reason'] === reason);
  return found.map(({ level, code }) => [level, code]);
}

it.each(ROWS)('%s (%s): log, calls and doctor say it', async (kind, code, served, what, remedy) => {
  const url = await openServer(served);
  const scene = await openLive({ settings: { PROVIDER_URL: url } });
  const said = `${kind} (${code})`;
  expect(await scene.bank.start({})).toMatchObject({ status: 502, code: 'provider.misconfigured' });
  expect(levelsOf(scene.log(), said)).toEqual([
    [40, 'provider.misconfigured'],
    [50, 'provider.misconfigured'],
  ]);

  const { out } = await runMiftah(['calls', onlyAttempt(scene.dataDir)], scene.settings);
  expect(out).toContain(`  session  no answer: ${said}  `);

  const doctor = await runMiftah(['doctor', '--json'], scene.settings);
  const { findings } = diagnosisIn(doctor);
  const found = findings.filter(({ check }) => check === 'provider.keys');
  expect(found.map(({ severity }) => severity)).toEqual(['fault']);
  expect(found[0]?.what).toMatch(what);
  expect(found[0]?.what).toContain(`${url} could not be trusted`);
  expect(found[0]?.what).toContain(said);
  expect(found[0]?.remedy).toMatch(remedy);
  for (const text of [scene.log(), doctor.out, out]) {
    expect(text).not.toMatch(/authority\.example|stranger\.example|elsewhere\.example/);
  }
});

it('a file of authorities that can be used and lacks the one of the provider is not sent to be mended', async () => {
  const url = await openServer(unknown);
  const folder = temporaryFolder('certificates');
  const file = certify(folder, 'other', 'other.example').certificateFile;
  const scene = await openLive({ settings: { PROVIDER_URL: url, NODE_EXTRA_CA_CERTS: file } });
  const { findings } = diagnosisIn(await runMiftah(['doctor', '--json'], scene.settings));
  const remedyOf = (wanted: string) => findings.find(({ check }) => check === wanted)?.remedy;
  expect(remedyOf('provider.keys')).toContain('that file does not have the authority');
  expect(remedyOf('provider.keys')).toContain('After a change of the file reload the service');
  expect(findings.find(({ check }) => check === 'authorities.file')?.severity).toBe('ok');
});
