import { readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { share, temporaryFolder } from '../../support/at-end.ts';
import { certify } from '../../support/certificate.ts';
import { ask } from '../../support/postgres/databases.ts';
import { becomesReady, openPool, refusalOf, sql } from '../../support/postgres/pool.ts';
import { startPostgres } from '../../support/postgres/server.ts';

/** A server with a certificate for the name `localhost` and not for 127.0.0.1. */
const opened = share(async (atEnd) => {
  const folder = temporaryFolder('postgres-tls', atEnd);
  const authority = certify(folder, 'authority', 'localhost');
  const stranger = certify(folder, 'stranger', 'localhost');
  const server = await startPostgres();
  atEnd(() => server.close());
  // The server reads both files from its own folder, where it wrote them itself.
  await ask(server.url, writing(authority.certificateFile, 'server.crt'));
  await ask(server.url, writing(authority.keyFile, 'server.key'));
  await ask(server.url, 'ALTER SYSTEM SET ssl = on');
  await server.stop();
  await server.start();
  return { url: server.url, authority, stranger };
});

function writing(file: string, name: string): string {
  const lines = readFileSync(file, 'utf8').trim();
  return `COPY (SELECT string_to_table('${lines}', E'\\n')) TO PROGRAM 'umask 077; cat > ${name}'`;
}

function urlWith(host: string, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(opened().url);
  url.hostname = host;
  url.search = new URLSearchParams(parameters).toString();
  return url.href;
}

async function isEncrypted(url: string): Promise<unknown> {
  const pool = openPool(url, onTestFinished);
  await becomesReady(pool);
  const own = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
  return (await pool.read(sql(own))).rows[0]?.['ssl'];
}

async function refusalFrom(url: string): Promise<string> {
  const pool = openPool(url, onTestFinished);
  expect(await refusalOf(pool.read(sql('SELECT 1')))).toBe('storage.unavailable');
  const health = pool.health();
  expect(JSON.stringify(health)).not.toContain(new URL(url).password);
  return health.ready ? 'ready' : health.reason;
}

describe('TLS to the database', () => {
  test('verify-full with the right authority and name', async () => {
    const sslrootcert = opened().authority.certificateFile;
    expect(await isEncrypted(urlWith('localhost', { sslmode: 'verify-full', sslrootcert }))).toBe(
      true,
    );
  });

  test('verify-full refuses another name than that of the certificate', async () => {
    const sslrootcert = opened().authority.certificateFile;
    const url = urlWith('127.0.0.1', { sslmode: 'verify-full', sslrootcert });
    expect(await refusalFrom(url)).toContain("does not match certificate's altnames");
  });

  test.each(['verify-full', 'verify-ca', 'require'])(
    '%s refuses a certificate of another authority',
    async (sslmode) => {
      const sslrootcert = opened().stranger.certificateFile;
      expect(await refusalFrom(urlWith('localhost', { sslmode, sslrootcert }))).toContain(
        'certificate',
      );
    },
  );

  test('verify-full trusts no authority of nobody', async () => {
    expect(await refusalFrom(urlWith('localhost', { sslmode: 'verify-full' }))).toContain(
      'certificate',
    );
  });

  test('verify-ca looks at the authority and not at the name', async () => {
    const sslrootcert = opened().authority.certificateFile;
    expect(await isEncrypted(urlWith('127.0.0.1', { sslmode: 'verify-ca', sslrootcert }))).toBe(
      true,
    );
  });

  test('require encrypts and looks at nothing', async () => {
    expect(await isEncrypted(urlWith('127.0.0.1', { sslmode: 'require' }))).toBe(true);
  });

  test('disable sends in the clear', async () => {
    expect(await isEncrypted(urlWith('127.0.0.1', { sslmode: 'disable' }))).toBe(false);
  });

  test('a file of authorities that is not there is named', async () => {
    const sslrootcert = '/nowhere/authority.crt';
    const url = urlWith('localhost', { sslmode: 'verify-full', sslrootcert });
    expect(await refusalFrom(url)).toContain('/nowhere/authority.crt');
  });

  test('a server without TLS is not used by a client that wants it', async () => {
    const server = await startPostgres();
    onTestFinished(() => server.close());
    const url = `${server.url}?sslmode=require`;
    expect(await refusalFrom(url)).toContain('does not support SSL');
  });
});
