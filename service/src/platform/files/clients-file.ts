import { faultOfJson } from '@miftah/schema/json-place';
import { meant } from '@miftah/schema/nearest';
import { readRegularFile, UnfitFileError } from '@miftah/schema/regular-file';
import { isKeyHash, KEY_HASH_FORM, type Client } from '../../account/client.ts';
import {
  BACKCHANNEL_DELIVERIES,
  ID_TOKEN_ALGORITHMS,
  OPENID_SCOPES,
  TOKEN_AUTH_METHODS,
  type OpenidClient,
  type OpenidScope,
} from '../../account/openid-client.ts';
import { FLOWS, type Flow } from '../../attempt/flow.ts';
import {
  ADDRESS_FORMS,
  isOfDevice,
  isReturnAddress,
  isWebAddress,
  WEB_ADDRESS,
} from '../../attempt/browser/return-address.ts';
import { wayOut } from '../../errors/fault-words.ts';
import { memberOf } from '../../values/member.ts';
import { mayBeSecret } from '../../values/secret.ts';
import { isPlainLine, pathsOfNonText } from '../../values/text.ts';
import { readLimits } from './client-limits.ts';
import { readPublicKeys } from './public-keys.ts';
import { readWebhooks, shownName } from './client-webhooks.ts';

/** Far more than the clients of one service need: some 50,000. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Lists everything that is wrong with the file. */
export class ClientsFileError extends Error {
  constructor(place: string, faults: readonly string[]) {
    super(`${place} can't be used:\n  - ${faults.join('\n  - ')}`);
    this.name = 'ClientsFileError';
  }
}

/** @throws ClientsFileError with every fault and its place */
export function readClientsFile(path: string): readonly Client[] {
  return readClients(readClientsJson(path).content, path);
}

/**
 * @param content what the file has as JSON
 * @param place where it is from, for the error
 * @throws ClientsFileError with every fault and its place
 */
export function readClients(content: unknown, place: string): readonly Client[] {
  const faults: string[] = [];
  const listed = memberOf(content, 'clients');
  if (!Array.isArray(listed)) throw new ClientsFileError(place, ['"clients" must be a list']);
  const clients = listed.map((entry: unknown, index) => readClient(entry, index, faults));
  faults.push(...faultsBetween(clients));
  if (faults.length > 0) throw new ClientsFileError(place, faults);
  return clients;
}

interface ClientsJson {
  readonly text: string;
  readonly content: unknown;
}

/** What the file has, unchecked. @throws ClientsFileError for what is no JSON */
export function readClientsJson(path: string): ClientsJson {
  let text = '';
  try {
    text = readRegularFile(path, MOST_BYTES);
    return { text, content: JSON.parse(text) };
  } catch (error) {
    const reason = error instanceof SyntaxError ? notJson(text) : notReadable(error, path);
    throw new ClientsFileError(path, [reason]);
  }
}

function notJson(text: string): string {
  return text.trim() === '' ? 'it is empty' : `it is not JSON: ${faultOfJson(text)}`;
}

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'it is not there (ENOENT)',
  EACCES: 'this user may not read it (EACCES)',
  EISDIR: 'it is a folder (EISDIR)',
};

function notReadable(error: unknown, path: string): string {
  if (error instanceof UnfitFileError) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  return (UNREADABLE[code] ?? `it can't be read (${code})`) + wayOut(path, code);
}

const RETURNS = 'return_addresses';
const OPENID = 'openid';
const MEMBERS: readonly string[] = [
  'id',
  'name',
  'type',
  RETURNS,
  'code_in',
  'keys',
  'keyless',
  'limits',
  OPENID,
  'webhooks',
];

const LONGEST_ID = 63;
/** Of a name, in characters as Unicode counts them: it has to fit on a page, a phone and a terminal. */
const LONGEST_NAME = 100;
const ID = new RegExp(`^[a-z0-9][a-z0-9-]{0,${LONGEST_ID - 1}}$`);

function readClient(entry: unknown, index: number, faults: string[]): Client {
  const id = textOf(entry, 'id');
  const at = (fault: string) => void faults.push(`clients[${index}]${shownId(id)}: ${fault}`);
  if (!ID.test(id)) {
    at(`"id" must be lower-case letters, digits and "-", at most ${LONGEST_ID} of them`);
  }
  for (const path of pathsOfNonText(entry)) at(`"${path.join('/')}" is not valid text`);
  tellUnknown(entry, MEMBERS, at);
  const returns = memberOf(entry, RETURNS);
  const isOpenid = has(entry, OPENID);
  if (returns === undefined && !isOpenid) at(`"${RETURNS}" is missing`);
  if (Array.isArray(returns) && returns.length === 0 && !isOpenid) at(`"${RETURNS}" is empty`);
  const name = memberOf(entry, 'name');
  const [ar, en] = [textOf(name, 'ar'), textOf(name, 'en')];
  if (ar === '' || en === '') at('"name" must have "ar" and "en"');
  for (const fault of lengthFaults({ ar, en })) at(fault);
  if (!isPlainLine(ar + en)) {
    at('"name" must have no control characters, and no marks that turn the direction of text');
  }
  const type = choiceOf(entry, 'type', ['public', 'confidential'], at);
  const isAddress = (text: string): text is string => isReturnAddress(text, type);
  const client: Client = {
    id,
    name: { ar, en },
    type,
    returnAddresses: listOf(entry, RETURNS, isAddress, ADDRESS_FORMS[type], at),
    returnsToLoopback: false,
    codeIn: has(entry, 'code_in') ? choiceOf(entry, 'code_in', ['query', 'fragment'], at) : 'query',
    keys: listOf(entry, 'keys', isKeyHash, KEY_HASH_FORM, at),
    keyless: listOf(entry, 'keyless', isFlow, `one of ${FLOWS.join(', ')}`, at),
    limits: readLimits(memberOf(entry, 'limits'), (fault) => at(`in "limits": ${fault}`)),
    webhooks: readWebhooks(id, memberOf(entry, 'webhooks'), at),
    openid: isOpenid ? readOpenid(memberOf(entry, OPENID), type, at) : null,
  };
  const isListed = (what: string) => !isEmptyList(memberOf(entry, what) ?? []);
  for (const fault of faultsWithin(client, isListed('keys'), isListed('keyless'))) at(fault);
  return client;
}

function tellUnknown(entry: unknown, members: readonly string[], tell: Tell): void {
  const unknown = namesIn(entry).filter((name) => !members.includes(name));
  const told = unknown.map((name) => shownName(name, members));
  if (told.length > 0) tell(`unknown: ${told.join(', ')}`);
}

const REDIRECTS = 'redirect_uris';
const POST_LOGOUT = 'post_logout_redirect_uris';
const AUTH_METHOD = 'token_endpoint_auth_method';
const ALGORITHM = 'id_token_signed_response_alg';
const PKCE = 'require_pkce';
const SINGLE_SIGN_ON = 'sso';
const JWKS = 'jwks';
const DELIVERY = 'backchannel_token_delivery_mode';
const NOTIFICATION = 'backchannel_client_notification_endpoint';
const LOGOUT = 'backchannel_logout_uri';
const LOGOUT_SESSION = 'backchannel_logout_session_required';
const SUBJECT_TYPE = 'subject_type';
const SECTOR = 'sector_identifier';
export const OPENID_MEMBERS: readonly string[] = [
  REDIRECTS,
  POST_LOGOUT,
  AUTH_METHOD,
  JWKS,
  'scope',
  SUBJECT_TYPE,
  SECTOR,
  ALGORITHM,
  PKCE,
  SINGLE_SIGN_ON,
  DELIVERY,
  NOTIFICATION,
  LOGOUT,
  LOGOUT_SESSION,
];

/** By the names of the registration of OAuth clients (RFC 7591). */
function readOpenid(entry: unknown, type: Client['type'], outer: Tell): OpenidClient {
  const at = (fault: string) => outer(`in "${OPENID}": ${fault}`);
  tellUnknown(entry, OPENID_MEMBERS, at);
  const isAddress = (text: string): text is string => isReturnAddress(text, type);
  const redirectUris = listOf(entry, REDIRECTS, isAddress, ADDRESS_FORMS[type], at);
  const isEmpty = isEmptyList(memberOf(entry, REDIRECTS)) && !has(entry, DELIVERY);
  if (isEmpty || !has(entry, REDIRECTS)) at(`"${REDIRECTS}" is ${isEmpty ? 'empty' : 'missing'}`);
  const usual = type === 'public' ? 'none' : 'client_secret_basic';
  const tokenAuthMethod = has(entry, AUTH_METHOD)
    ? choiceOf(entry, AUTH_METHOD, TOKEN_AUTH_METHODS, at)
    : usual;
  if ((type === 'public') !== (tokenAuthMethod === 'none')) {
    at(`"${AUTH_METHOD}" is none for a public client, and for no other`);
  }
  const isSigned = tokenAuthMethod === 'private_key_jwt';
  if (isSigned !== has(entry, JWKS)) {
    at(`"${JWKS}" is needed for private_key_jwt, and for no other`);
  }
  const requiresPkce = flagOf(entry, PKCE, true, at);
  if (!requiresPkce && type === 'public') at(`only a confidential client may do without "${PKCE}"`);
  const singleSignOn = flagOf(entry, SINGLE_SIGN_ON, false, at);
  // Nobody is asked before the code is sent, which any application of the device might then get.
  if (singleSignOn && type === 'public' && redirectUris.some(isOfDevice)) {
    at(`"${SINGLE_SIGN_ON}" of a public client is for https addresses of other machines alone`);
  }
  return {
    redirectUris,
    postLogoutRedirectUris: listOf(entry, POST_LOGOUT, isWebAddress, WEB_ADDRESS, at),
    tokenAuthMethod,
    jwks: isSigned ? readPublicKeys(memberOf(entry, JWKS), at) : [],
    sector: readSector(entry, { type, redirectUris }, at),
    scopes: readScopes(entry, at),
    idTokenAlgorithm: has(entry, ALGORITHM)
      ? choiceOf(entry, ALGORITHM, ID_TOKEN_ALGORITHMS, at)
      : 'RS256',
    requiresPkce,
    singleSignOn,
    backchannelDelivery: readDelivery(entry, type, at),
    backchannelLogout: readLogout(entry, at),
  };
}

/** Null where a client is not told of a logout. */
function readLogout(entry: unknown, tell: Tell): OpenidClient['backchannelLogout'] {
  const needsSession = flagOf(entry, LOGOUT_SESSION, false, tell);
  if (!has(entry, LOGOUT)) {
    if (has(entry, LOGOUT_SESSION)) tell(`"${LOGOUT_SESSION}" is for "${LOGOUT}"`);
    return null;
  }
  const uri = textOf(entry, LOGOUT);
  if (!isWebAddress(uri)) tell(`"${LOGOUT}" must be ${WEB_ADDRESS}`);
  return { uri, needsSession };
}

/** Null where a client sends no push of its own. */
function readDelivery(
  entry: unknown,
  type: Client['type'],
  tell: Tell,
): OpenidClient['backchannelDelivery'] {
  const notificationEndpoint = has(entry, NOTIFICATION) ? textOf(entry, NOTIFICATION) : null;
  const isPing = memberOf(entry, DELIVERY) === 'ping';
  if (isPing !== (notificationEndpoint !== null)) {
    tell(`"${NOTIFICATION}" is needed for "${DELIVERY}": "ping", and for no other`);
  }
  if (notificationEndpoint !== null && !isWebAddress(notificationEndpoint)) {
    tell(`"${NOTIFICATION}" must be ${WEB_ADDRESS}`);
  }
  if (!has(entry, DELIVERY)) return null;
  if (type === 'public') tell(`only a confidential client may have "${DELIVERY}"`);
  // The library wants an address of keys for it, and none is asked for anything here.
  if (memberOf(entry, SUBJECT_TYPE) === 'pairwise') {
    tell(`"${DELIVERY}" is not for "${SUBJECT_TYPE}": "pairwise"`);
  }
  return { mode: choiceOf(entry, DELIVERY, BACKCHANNEL_DELIVERIES, tell), notificationEndpoint };
}

/** Null where all clients know a person by the same `sub`. */
function readSector(
  entry: unknown,
  { type, redirectUris }: Pick<Client, 'type'> & Pick<OpenidClient, 'redirectUris'>,
  tell: Tell,
): string | null {
  const isPairwise =
    has(entry, SUBJECT_TYPE) &&
    choiceOf(entry, SUBJECT_TYPE, ['public', 'pairwise'], tell) === 'pairwise';
  if (!isPairwise) {
    if (has(entry, SECTOR)) tell(`"${SECTOR}" is for "${SUBJECT_TYPE}": "pairwise"`);
    return null;
  }
  if (type === 'public') tell(`only a confidential client may have "${SUBJECT_TYPE}": "pairwise"`);
  const hosts = [...new Set(redirectUris.map((address) => new URL(address).host))];
  const sector = has(entry, SECTOR) ? textOf(entry, SECTOR) : hosts.join(' ');
  if (hosts.length > 1 && !has(entry, SECTOR)) {
    tell(`"${SECTOR}" is needed where "${REDIRECTS}" have several hosts`);
  } else if (!isHost(sector)) {
    tell(`"${SECTOR}" must be a host such as example.com`);
  }
  return sector;
}

const isHost = (text: string): boolean => URL.parse(`https://${text}/`)?.host === text;

function readScopes(entry: unknown, tell: Tell): readonly OpenidScope[] {
  const words = has(entry, 'scope') ? textOf(entry, 'scope').split(' ') : ['openid'];
  const scopes = OPENID_SCOPES.filter((scope) => words.includes(scope));
  if (scopes.length < words.length || !words.includes('openid')) {
    tell(`"scope" must be openid, and of ${OPENID_SCOPES.slice(1).join(', ')}, each once`);
  }
  return scopes;
}

/** Without what may be a key in a wrong place, or would begin another line of the log. */
function shownId(id: string): string {
  if (id === '' || /\p{Cc}/u.test(id) || mayBeSecret(id)) return '';
  return id.length > LONGEST_ID ? ` (${id.slice(0, LONGEST_ID)}…)` : ` (${id})`;
}

function lengthFaults(name: Readonly<Record<string, string>>): string[] {
  return Object.entries(name)
    .filter(([, text]) => Array.from(text).length > LONGEST_NAME)
    .map(([language]) => `"${language}" of "name" must have at most ${LONGEST_NAME} characters`);
}

type Tell = (fault: string) => void;

const isFlow = (text: string): text is Flow => FLOWS.some((flow) => flow === text);

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;

/** What is listed and wrong has been told already, and is not called missing. */
function faultsWithin({ type, openid }: Client, hasKeys: boolean, hasFlows: boolean): string[] {
  if (type === 'confidential') {
    return [
      ...(hasKeys || openid?.tokenAuthMethod === 'private_key_jwt'
        ? []
        : ['a confidential client needs a key']),
      ...(hasFlows ? ['only a public client may be keyless'] : []),
    ];
  }
  if (hasKeys || hasFlows || openid !== null) return [];
  return [`it has neither a key nor a keyless flow: "keyless" may have ${FLOWS.join(', ')}`];
}

function faultsBetween(clients: readonly Client[]): string[] {
  const crowded = FLOWS.filter(
    (flow) => clients.filter((c) => c.keyless.includes(flow)).length > 1,
  );
  return [
    ...(clients.length === 0 ? ['"clients" is empty'] : []),
    ...repeated(clients.map(({ id }) => id).filter((id) => ID.test(id))).map(
      (id) => `${id} is there more than once`,
    ),
    ...repeated(clients.flatMap(({ keys }) => keys)).map((key) => `two have the key ${key}`),
    ...crowded.map((flow) => `only one client may start ${flow} without a key`),
  ];
}

const repeated = (texts: readonly string[]) => [
  ...new Set(texts.filter((text, index) => texts.indexOf(text) !== index)),
];

function namesIn(value: unknown): string[] {
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}

const has = (value: unknown, name: string) => memberOf(value, name) !== undefined;

function textOf(value: unknown, name: string): string {
  const text = memberOf(value, name);
  return typeof text === 'string' ? text : '';
}

function flagOf(entry: unknown, name: string, usual: boolean, tell: Tell): boolean {
  const flag = memberOf(entry, name) ?? usual;
  if (typeof flag !== 'boolean') tell(`"${name}" must be true or false`);
  return flag === true;
}

function choiceOf<Choice extends string>(
  entry: unknown,
  name: string,
  choices: readonly [Choice, ...Choice[]],
  tell: Tell,
): Choice {
  const text = memberOf(entry, name);
  const chosen = choices.find((choice) => choice === text);
  const near = typeof text === 'string' ? meant(text, choices) : '';
  if (chosen === undefined) tell(`"${name}" must be ${choices.join(' or ')}${near}`);
  return chosen ?? choices[0];
}

/** A list of valid texts; an absent member counts as an empty list. Faults go to `tell`. */
function listOf<Text extends string>(
  entry: unknown,
  name: string,
  fits: (text: string) => text is Text,
  form: string,
  tell: Tell,
): Text[] {
  const list = memberOf(entry, name) ?? [];
  if (!Array.isArray(list)) {
    tell(`"${name}" must be a list`);
    return [];
  }
  const texts: readonly unknown[] = list;
  const isFit = (text: unknown): text is Text => typeof text === 'string' && fits(text);
  // Named by its place: the text may be a key that was written at the wrong one.
  const unfit = texts.flatMap((text, at) => (isFit(text) ? [] : [`"${name}[${at}]"`]));
  if (unfit.length > 0) tell(`${unfit.join(', ')} must be ${form}`);
  return texts.filter(isFit);
}
