import { ConfigError } from '../config/config-error.ts';
import type { Config } from '../config/config.ts';
import { simulatorClient, type Client } from '../account/client.ts';
import { ClientsFileError, readClientsFile } from '../platform/files/clients-file.ts';
import { outboundRules, uncalledIn, type Uncalled } from '../outbound/rules.ts';
import type { Outbox } from '../store/ports/store.port.ts';
import { withListeners } from '../webhooks/listen.flow.ts';
import { tellClients } from '../webhooks/tell.flow.ts';
import { operatorRolesFile } from '../platform/files/operator-roles-file.ts';

/**
 * Before anything is opened or written: only a person can correct the file, so a supervisor must
 * not start the service again.
 * @throws ConfigError with every fault of the clients file
 */
export function requireClients(config: Config): readonly Client[] {
  return clientsOf(config);
}

/**
 * The addresses of clients that live mode never calls. A simulation may have the clients of another
 * mode, whose back ends are not there.
 */
export function uncalledBy(config: Config, clients: readonly Client[]): readonly Uncalled[] {
  return config.live === null ? [] : uncalledIn(clients, outboundRules(config));
}

const keyOf = ({ client, address }: Uncalled): string => `${client} ${address}`;

/**
 * A file that has such an address already stays one that can be changed, and started with: nobody
 * signs in by it.
 * @throws ClientsFileError where a change brings one
 */
export function refuseUncalled(
  config: Config,
  { was, next }: { readonly was: readonly Client[]; readonly next: readonly Client[] },
): void {
  const before = new Set(uncalledBy(config, was).map(keyOf));
  const faults = uncalledBy(config, next).filter((one) => !before.has(keyOf(one)));
  if (faults.length === 0) return;
  throw new ClientsFileError(
    'CLIENTS_FILE with this change',
    faults.map(({ said }) => said),
  );
}

/** The same for the file of the operators' roles. @throws ConfigError */
export function requireRoles({ operator }: Config): void {
  const file = operator?.people?.rolesFile;
  if (file === undefined) return;
  try {
    operatorRolesFile(file)();
  } catch (error) {
    throw new ConfigError([error instanceof Error ? error.message : String(error)]);
  }
}

/** Whether this is the id of a client of the settings. @throws ConfigError as `requireClients` */
export function isClient(config: Config, id: string): boolean {
  return clientsOf(config).some((client) => client.id === id);
}

/** @throws ConfigError as `requireClients` */
export function receiversOf(config: Config) {
  return clientsOf(config).flatMap(({ id: client, webhooks }) =>
    webhooks.map(({ id: receiver, url }) => ({ client, receiver, host: new URL(url).host })),
  );
}

/**
 * For what a command changes. A fault of the clients file keeps nobody from a revocation: the service
 * does not start with it, and nobody is told meanwhile.
 */
export function tellReceivers(config: Config, outbox: Outbox): void {
  try {
    const clients = clientsOf(config);
    tellClients(outbox, config.simulator === null ? clients : withListeners(clients, false));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
  }
}

function clientsOf({ live, simulator, dashboardUrl }: Config): readonly Client[] {
  const file = live?.clientsFile ?? simulator?.clientsFile ?? null;
  if (file === null) return [simulatorClient(dashboardUrl)];
  try {
    return readClientsFile(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError([`CLIENTS_FILE: ${reason.replaceAll('\n', '\n  ')}`]);
  }
}
