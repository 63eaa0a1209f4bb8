import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  serviceSettings,
  simulatorSettings,
  writeClientsFile,
} from '../../../../scripts/rehearsal.ts';
import { CLIENTS } from '../../../../service/test/support/live/rehearsal.ts';
import type { Machine } from './machine.ts';
import { commandsOf } from './page.ts';

/**
 * Runs the commands of a section of docs/systemd.md, as somebody who pastes them.
 * @param seen what the page says to wait for before its next block
 */
export async function runPage(
  machine: Machine,
  heading: string,
  seen: () => Promise<void> = async () => undefined,
): Promise<string> {
  const said: string[] = [];
  for (const commands of commandsOf(heading)) {
    said.push(await machine.expect(commands));
    await seen();
  }
  return said.join('\n');
}

/**
 * The programs of this machine keep their compiled code, in the one folder that each of them may write,
 * which halves the processor time of a start. The machine has its settings.
 */
export async function keepCode(machine: Machine): Promise<void> {
  const variable = 'NODE_COMPILE_CACHE=/var/lib/miftah-head/.code';
  await machine.expect(`echo ${variable} > /etc/miftah/environment`);
}

/** What systemd knows of the unit. */
export async function stateOf(machine: Machine): Promise<Readonly<Record<string, string>>> {
  const said = await machine.expect('systemctl show miftah');
  const members = said.split('\n').map((line) => {
    const [name = '', value = ''] = line.split(/=(.*)/s);
    return [name, value] as const;
  });
  return Object.fromEntries(members);
}

/** One program that asks until it is answered: to start one for each question takes much longer. */
const ASK = `
const ask = () => fetch('http://127.0.0.1:3000/readyz').then(
  ({ status }) => (status === 200 ? process.exit() : setTimeout(ask, 20)),
  () => setTimeout(ask, 20),
);
ask();
`;

export async function ready(machine: Machine): Promise<void> {
  await machine.expect(`/opt/miftah/bin/node -e "${ASK}"`);
}

/** Another user who tries to listen on the ports of the service, without a pause. */
const TAKE_PORTS = `
const { createServer } = require('node:net');
let refusals = 0;
const take = (port) => createServer()
  .on('error', ({ code }) => {
    refusals += 1;
    if (refusals === 100) console.log('refused with ' + code);
    setTimeout(take, 1, port);
  })
  .listen(port, '127.0.0.1', () => console.log('taken: ' + port));
take(3000);
take(9464);
`;

/** @returns what that user's program has said up to now */
export async function takePorts(machine: Machine): Promise<() => Promise<string>> {
  const program = `/opt/miftah/bin/node -e "${TAKE_PORTS}"`;
  await machine.expect(`systemd-run --unit=taker --uid=nobody ${program}`);
  return async () => machine.expect('journalctl --no-pager --output=cat --unit=taker');
}

/** The clients file with one client, a bank. */
export function clientsFile(keys: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-clients-'));
  try {
    return readFileSync(writeClientsFile(folder, [{ ...CLIENTS.bank, keys }]), 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** They have places of their own on an installed machine. */
const APART = new Set(['SECRET_KEY', 'CLIENTS_FILE', 'PROVIDER_APP_ID', 'PROVIDER_APP_KEY']);
const PLACES = {
  DATA_DIR: '/var/lib/miftah',
  AUDIT_HEAD_FILE: '/var/lib/miftah-head/audit-head',
  CLIENTS_FILE: '/etc/miftah/clients.json',
  // The socket unit has it.
  METRICS_PORT: '9464',
};

/** Makes the installed service one of live mode, with a stand-alone simulator as its provider. */
export async function rehearseOn(machine: Machine, keys: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-clients-'));
  const clients = [{ ...CLIENTS.bank, keys }];
  const plan = { servicePort: 3000, simulatorPort: 4000, folder, secretKey: '', clients };
  const given = serviceSettings(plan);
  const ofSimulator = linesOf({ ...simulatorSettings(plan), DATA_DIR: '/var/lib/provider' });
  rmSync(folder, { recursive: true });

  await machine.expect('systemctl stop miftah; rm -rf /var/lib/miftah/* /var/lib/miftah-head/*');
  const settings = Object.entries(given).filter(([name]) => !APART.has(name));
  const lines = linesOf({ ...Object.fromEntries(settings), ...PLACES });
  await machine.write('/etc/miftah/miftah.env', lines);
  await machine.write('/etc/miftah/clients.json', clientsFile(keys));
  for (const name of ['PROVIDER_APP_ID', 'PROVIDER_APP_KEY']) {
    const file = name.toLowerCase().replaceAll('_', '-');
    await machine.write(`/etc/miftah/secrets/${file}`, given[name] ?? '');
  }
  await machine.write('/etc/provider.env', ofSimulator);
  await machine.expect(
    `systemd-run --unit=provider --property=DynamicUser=yes --property=StateDirectory=provider \
       --property=EnvironmentFile=/etc/provider.env /opt/miftah/bin/miftah-simulator
     systemctl start miftah`,
  );
}

function linesOf(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}
