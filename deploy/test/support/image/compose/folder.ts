import {
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeClientsFile } from '../../../../../scripts/rehearsal.ts';
import { root, run } from '../../../../../scripts/run.mjs';
import { CLIENTS } from '../../../../../service/test/support/live/rehearsal.ts';

export const PUBLIC_HOST = 'login.example.com';

const USER_ID = 10001;
const PASSWORD = 'a-password-of-the-tests';
const SECRETS = {
  'database-url': `postgres://miftah:${PASSWORD}@postgres:5432/miftah?sslmode=disable`,
  'secret-key': '9b'.repeat(32),
  'provider-app-id': 'an-id-that-the-simulator-does-not-read',
  'provider-app-key': 'a-key-that-the-simulator-does-not-read',
  'postgres-password': PASSWORD,
};

/** Every value that must be found in no log. */
export const SECRET_VALUES = Object.values(SECRETS);

/** What docs/containers.md says an operator puts beside compose.yaml, for simulator mode. */
export async function makeComposeFolder(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-compose-'));
  try {
    cpSync(join(root, 'deploy', 'image', 'compose.yaml'), join(folder, 'compose.yaml'));
    const settings = `PUBLIC_URL=https://${PUBLIC_HOST}\nPROVIDER=simulator\nALLOW_SIMULATOR=yes\n`;
    writeFileSync(join(folder, 'miftah.env'), settings);
    chownSync(writeClientsFile(folder, [CLIENTS.bank]), USER_ID, USER_ID);
    writeFileSync(join(folder, 'nginx.conf'), nginxConfiguration());
    writeSecrets(join(folder, 'secrets'));
    await makeCertificate(folder);
    return folder;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** The configuration of deploy/proxy with the two instances of the compose file. */
function nginxConfiguration(): string {
  const text = readFileSync(join(root, 'deploy', 'proxy', 'nginx.conf'), 'utf8');
  const [one, other] = ['server 127.0.0.1:3000', '# server 127.0.0.1:3001'];
  if (!text.includes(` ${one}`) || !text.includes(other)) throw new Error('no place for instances');
  return text.replace(one, 'server miftah-1:3000').replace(other, 'server miftah-2:3000');
}

function writeSecrets(folder: string): void {
  mkdirSync(folder);
  for (const [name, value] of Object.entries(SECRETS)) {
    const path = join(folder, name);
    writeFileSync(path, `${value}\n`, { mode: 0o400 });
    chownSync(path, USER_ID, USER_ID);
  }
}

async function makeCertificate(folder: string): Promise<void> {
  const how = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2'.split(' ');
  const who = ['-subj', `/CN=${PUBLIC_HOST}`, '-addext', `subjectAltName=DNS:${PUBLIC_HOST}`];
  const files = ['-keyout', 'certificate.key', '-out', 'certificate.pem'];
  const where = files.map((name) => (name.startsWith('-') ? name : join(folder, name)));
  const { code, output } = await run('openssl', [...how, ...who, ...where]);
  if (code !== 0) throw new Error(output);
}
