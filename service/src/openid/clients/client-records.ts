import { grantType as cibaGrant } from 'oidc-provider/lib/actions/grants/ciba.js';
import type { OidcClient, Provider } from 'oidc-provider/lib/provider.js';
import type { Client } from '../../account/client.ts';
import type { Clients } from '../../account/clients.port.ts';
import type { BackchannelDelivery, BackchannelLogout } from '../../account/openid-client.ts';
import { clientInScope } from '../../attempt/scenario.ts';
import { isPrivateUseAddress, namedReturnAddress } from '../../attempt/browser/return-address.ts';

async function refuse(): Promise<never> {
  throw new Error('clients are registered in the clients file alone');
}

/** The clients file is the only register. */
export function clientRecords(clients: Clients) {
  return {
    find: async (id: string) => metadataOf(clients.find(id)),
    findByUid: refuse,
    findByUserCode: refuse,
    upsert: refuse,
    consume: refuse,
    destroy: refuse,
    revokeByGrantId: refuse,
  };
}

/**
 * A secret is never compared with this text: `compareClientSecret` looks it up among the hashes of
 * the clients file. The library wants one, and signs nothing with it, as HMAC is off.
 */
const UNUSED_SECRET = 'compared-with-the-hashes-of-the-clients-file';

function metadataOf(client: Client | null): Readonly<Record<string, unknown>> | undefined {
  if (client === null || client.openid === null) return undefined;
  const { redirectUris, tokenAuthMethod, jwks, sector, scopes, idTokenAlgorithm } = client.openid;
  const { backchannelDelivery, backchannelLogout } = client.openid;
  const hasBrowser = redirectUris.length > 0;
  return {
    client_id: client.id,
    client_name: client.name.en,
    'client_name#ar': client.name.ar,
    // Only a native application may have a scheme of its own.
    application_type: redirectUris.some(isPrivateUseAddress) ? 'native' : 'web',
    redirect_uris: redirectUris,
    response_types: hasBrowser ? ['code'] : [],
    grant_types: [
      ...(hasBrowser ? ['authorization_code'] : []),
      ...(backchannelDelivery === null ? [] : [cibaGrant]),
      ...(scopes.includes('offline_access') ? ['refresh_token'] : []),
    ],
    ...(backchannelDelivery === null ? {} : deliveryBy(backchannelDelivery)),
    ...(backchannelLogout === null ? {} : logoutOf(backchannelLogout)),
    scope: scopes.join(' '),
    token_endpoint_auth_method: tokenAuthMethod,
    ...(tokenAuthMethod.startsWith('client_secret') ? { client_secret: UNUSED_SECRET } : {}),
    ...(jwks.length === 0 ? {} : { jwks: { keys: jwks } }),
    ...(sector === null ? {} : pairwiseOf(sector)),
    id_token_signed_response_alg: idTokenAlgorithm,
  };
}

/** The library wants one by https, and calls nobody: `pingAtEnd` does. */
const UNCALLED = 'https://notification.invalid/';

function deliveryBy({ mode }: BackchannelDelivery) {
  const endpoint = { backchannel_client_notification_endpoint: UNCALLED };
  return { backchannel_token_delivery_mode: mode, ...(mode === 'ping' ? endpoint : {}) };
}

function logoutOf({ uri, needsSession }: BackchannelLogout) {
  return { backchannel_logout_uri: uri, backchannel_logout_session_required: needsSession };
}

/** The library wants an address where redirect addresses have several hosts, and asks nobody there. */
function pairwiseOf(sector: string) {
  return { subject_type: 'pairwise', sector_identifier_uri: `https://${sector}/` };
}

/** A scope is a name that a caller makes up, so what is kept for them is bounded. */
const MOST_IN_SCOPES = 1000;

/** The clients, each of them in every scope too. Each is one object, so that it can be kept by that. */
export function inScopes(clients: Clients): Clients {
  const kept = new Map<string, readonly [of: Client, own: Client]>();
  const find = (named: string) => {
    const client = clients.find(clientInScope(named).id);
    if (client === null || client.id === named) return client;
    const [of, known] = kept.get(named) ?? [];
    if (of === client && known !== undefined) return known;
    if (kept.size >= MOST_IN_SCOPES) kept.clear();
    const own = { ...client, id: named };
    kept.set(named, [client, own]);
    return own;
  };
  return {
    all: () => clients.all(),
    find,
    ofKey: (key) => clients.ofKey(key),
    keyless: (flow) => clients.keyless(flow),
  };
}

/**
 * The library would make a text of all that it is told of a client, and a digest of that, for each
 * request. A clients file that is read anew has other clients.
 */
export function keepClients({ Client: library }: Pick<Provider, 'Client'>, clients: Clients): void {
  const kept = new WeakMap<Client, OidcClient>();
  const find = library.find.bind(library);
  library.find = async (id) => {
    // The library has it from a form or a token that nobody has checked yet.
    const client = typeof id === 'string' ? clients.find(id) : null;
    if (client === null) return undefined;
    const known = kept.get(client) ?? (await find(id));
    if (known !== undefined) kept.set(client, known);
    return known;
  };
}

/** The rules of return addresses, with the redirect addresses of OpenID in their place. */
export function mayLeadTo(
  client: Client | null,
  listed: 'redirectUris' | 'postLogoutRedirectUris',
  address: string,
): boolean {
  if (client === null || client.openid === null) return false;
  const returnAddresses = client.openid[listed];
  return namedReturnAddress({ ...client, returnAddresses }, address) === address;
}
