import { readFileSync } from 'node:fs';
import type { Client, ClientKeyHash } from '../domain/client.ts';
import { FLOWS, type Flow } from '../domain/flow.ts';

/** All that is wrong with the file, in one go. */
class ClientsFileError extends Error {
  constructor(path: string, faults: readonly string[]) {
    super(`${path} can't be used:\n  - ${faults.join('\n  - ')}`);
    this.name = 'ClientsFileError';
  }
}

/** @throws ClientsFileError naming every fault and where it is */
export function readClientsFile(path: string): readonly Client[] {
  const faults: string[] = [];
  const listed = member(readJson(path), 'clients');
  if (!Array.isArray(listed)) throw new ClientsFileError(path, ['"clients" must be a list']);
  const clients = listed.map((entry: unknown, index) => readClient(entry, index, faults));
  faults.push(...faultsBetween(clients));
  if (faults.length > 0) throw new ClientsFileError(path, faults);
  return clients;
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'it is not JSON' : String(error);
    throw new ClientsFileError(path, [reason]);
  }
}

const MEMBERS: ReadonlySet<string> = new Set([
  'id',
  'name',
  'type',
  'return_addresses',
  'code_in',
  'keys',
  'keyless',
]);

function readClient(entry: unknown, index: number, faults: string[]): Client {
  const id = textOf(entry, 'id');
  const at = (fault: string) =>
    faults.push(`clients[${index}]${id === '' ? '' : ` (${id})`}: ${fault}`);
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(id)) at('"id" must be lower-case letters, digits and "-"');
  const unknown = namesIn(entry).filter((name) => !MEMBERS.has(name));
  if (unknown.length > 0) at(`unknown: ${unknown.join(', ')}`);
  const name = member(entry, 'name');
  const [ar, en] = [textOf(name, 'ar'), textOf(name, 'en')];
  if (ar === '' || en === '') at('"name" must have "ar" and "en"');
  const type = textOf(entry, 'type');
  if (type !== 'public' && type !== 'confidential') at('"type" must be public or confidential');
  const client: Client = {
    id,
    name: { ar, en },
    type: type === 'confidential' ? 'confidential' : 'public',
    returnAddresses: textsOf(entry, 'return_addresses').filter((address) => isAddress(address, at)),
    codeIn: textOf(entry, 'code_in') === 'fragment' ? 'fragment' : 'query',
    keys: textsOf(entry, 'keys').filter((key): key is ClientKeyHash => isKeyHash(key, at)),
    keyless: textsOf(entry, 'keyless').filter((flow): flow is Flow => isFlow(flow, at)),
  };
  for (const fault of faultsWithin(client)) at(fault);
  return client;
}

type Tell = (fault: string) => void;

/** https everywhere but on this machine, where developers have no certificate. */
function isAddress(address: string, tell: Tell): boolean {
  const url = URL.parse(address);
  const local =
    url?.protocol === 'http:' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  const fit = url !== null && (url.protocol === 'https:' || local) && url.hash === '';
  if (!fit) tell('"return_addresses" must be https (http on loopback), without a fragment');
  return fit;
}

function isKeyHash(key: string, tell: Tell): boolean {
  const fit = /^sha256:[0-9a-f]{64}$/.test(key);
  if (!fit) tell('"keys" must be "sha256:" and 64 hex digits: the hash of a key, never the key');
  return fit;
}

function isFlow(flow: string, tell: Tell): boolean {
  const fit = FLOWS.some((known) => known === flow);
  if (!fit) tell(`"keyless" may list ${FLOWS.join(' and ')}`);
  return fit;
}

function faultsWithin({ type, keys, keyless, returnAddresses }: Client): string[] {
  return [
    ...(returnAddresses.length === 0 ? ['"return_addresses" is empty'] : []),
    ...(type === 'confidential' && keys.length === 0 ? ['a confidential client needs a key'] : []),
    ...(type === 'confidential' && keyless.length > 0
      ? ['only a public client may be keyless']
      : []),
    ...(keys.length + keyless.length === 0 ? ['it has neither a key nor a keyless flow'] : []),
  ];
}

function faultsBetween(clients: readonly Client[]): string[] {
  const ids = clients.map(({ id }) => id);
  const repeated = new Set(ids.filter((id, index) => ids.indexOf(id) !== index));
  const crowded = FLOWS.filter(
    (flow) => clients.filter((c) => c.keyless.includes(flow)).length > 1,
  );
  return [
    ...(clients.length === 0 ? ['"clients" is empty'] : []),
    ...[...repeated].map((id) => `${id} is there more than once`),
    ...crowded.map((flow) => `only one client may start ${flow} without a key`),
  ];
}

function namesIn(value: unknown): string[] {
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}

function textOf(value: unknown, name: string): string {
  const text = member(value, name);
  return typeof text === 'string' ? text : '';
}

function textsOf(value: unknown, name: string): string[] {
  const list = member(value, name);
  return Array.isArray(list) ? list.map(String) : [];
}
