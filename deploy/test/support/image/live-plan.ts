import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  serviceSettings,
  writeClientsFile,
  type RehearsalPlan,
} from '../../../../scripts/rehearsal.ts';
import { CLIENTS } from '../../../../service/test/support/live/rehearsal.ts';
import { findFreePort } from '../../../../service/test/support/programs/service-process.ts';

const USER_ID = 10001;

/** The settings that are secret, and the names of their files. */
const SECRETS = {
  SECRET_KEY: 'secret-key',
  PROVIDER_APP_ID: 'provider-app-id',
  PROVIDER_APP_KEY: 'provider-app-key',
} as const;

/** A service and its provider on two free ports of this machine. */
export async function makePlan(): Promise<RehearsalPlan> {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-container-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const servicePort = await findFreePort();
  const simulatorPort = await findFreePort();
  const secretKey = '7c'.repeat(32);
  return { servicePort, simulatorPort, folder, secretKey, clients: [CLIENTS.bank] };
}

/** Moves the secrets of a rehearsal out of its settings into files. */
export function mountSecrets(plan: RehearsalPlan) {
  const settings: Record<string, string> = { ...serviceSettings(plan) };
  const secrets: Record<string, string> = {};
  for (const [name, file] of Object.entries(SECRETS)) {
    secrets[file] = settings[name] ?? '';
    delete settings[name];
    settings[`${name}_FILE`] = `/run/secrets/${file}`;
  }
  settings['CLIENTS_FILE'] = '/etc/miftah/clients.json';
  return { settings, volumes: writeSecrets(plan, secrets), written: Object.values(secrets) };
}

/**
 * Writes secrets, and the clients file, for the user of the image alone.
 * @returns what is mounted
 */
export function writeSecrets(
  { folder, clients }: RehearsalPlan,
  secrets: Readonly<Record<string, string>>,
): string[] {
  const files = join(folder, 'secrets');
  mkdirSync(files);
  for (const [name, value] of Object.entries(secrets)) {
    writeFileSync(join(files, name), `${value}\n`, { mode: 0o400 });
    chownSync(join(files, name), USER_ID, USER_ID);
  }
  const clientsFile = writeClientsFile(folder, clients);
  chownSync(clientsFile, USER_ID, USER_ID);
  return [`${files}:/run/secrets:ro`, `${clientsFile}:/etc/miftah/clients.json:ro`];
}
