import type { Config } from '../../config/config.ts';
import type { LiveConfig } from '../../config/live.ts';
import { hashClientKey, KEYS_MEANT, SIMULATOR_KEY, type Client } from '../../account/client.ts';
import { fault, ok, warning, type Finding } from './finding.ts';
import { readClientsFile } from '../../platform/files/clients-file.ts';
import { uncalledBy } from '../require-clients.ts';

const CHECK = 'clients';
const OF_UNCALLED =
  'Correct it, or take it out, then send the service SIGHUP: nobody is told there.';

/** The clients file: whether it can be used, and entries that are weaker than they have to be. */
export function examineClients(config: Config): Finding[] {
  const { live, simulator } = config;
  const path = live?.clientsFile ?? simulator?.clientsFile ?? null;
  if (path === null) return [ok(CHECK, 'The built-in client of simulator mode is used.')];
  try {
    const clients = readClientsFile(path);
    const weak = live === null ? [] : clients.flatMap((client) => weaknessesOf(client, live));
    const findings = [
      ...weak,
      ...uncalledBy(config, clients).map(({ said }) => fault(CHECK, `${said}.`, OF_UNCALLED)),
    ];
    const sound = ok(CHECK, `CLIENTS_FILE names ${clients.map(({ id }) => id).join(', ')}.`);
    return findings.length === 0 ? [sound] : findings;
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    return [fault(CHECK, what, 'Correct the file, then send the service SIGHUP.')];
  }
}

function weaknessesOf(
  { id, keys, keyless, returnAddresses, openid }: Client,
  { isRehearsal }: LiveConfig,
): Finding[] {
  const findings: Finding[] = [];
  if (keys.includes(hashClientKey(SIMULATOR_KEY))) {
    const what = `The client ${id} has the key of the simulator, which is public.`;
    findings.push(fault(CHECK, what, 'Make another with `miftah client key`.'));
  }
  if (keys.length > KEYS_MEANT) {
    const what = `The client ${id} has ${keys.length} keys: each of them opens it.`;
    findings.push(warning(CHECK, what, 'Remove those that it does not use any more.'));
  }
  if (keyless.includes('mfa')) {
    const what = `Everybody can have pushes sent as the client ${id}, because it needs no key for them.`;
    findings.push(warning(CHECK, what, 'Take "mfa" out of "keyless", unless you mean it.'));
  }
  if ([...returnAddresses, ...(openid?.redirectUris ?? [])].some((one) => one.includes('*'))) {
    const what = `An address of the client ${id} has a *, which is a character like others, and no wildcard.`;
    findings.push(warning(CHECK, what, 'List each address that people come back to.'));
  }
  const here = returnAddresses.filter((address) => address.startsWith('http:'));
  // A rehearsal is development.
  if (here.length > 0 && !isRehearsal) {
    const what = `The client ${id} may send people back to a machine of their own: ${here.join(', ')}.`;
    findings.push(warning(CHECK, what, 'Take out what was meant for development.'));
  }
  return findings;
}
