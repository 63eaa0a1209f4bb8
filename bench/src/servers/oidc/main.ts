/**
 * oidc-provider, a peer: `node main.ts <oidcMemory | oidcSqlite | oidcStore> <port> <data
 * folder>`. It writes no log, and asks known people for no consent.
 */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import process from 'node:process';
import { Provider } from 'oidc-provider';
import { member } from '../../load/requests.ts';
import { ACCOUNT, CIBA_GRANT, CLIENTS, RETURN_ADDRESS, SECRET } from './clients.ts';
import { MemoryAdapter } from './memory-adapter.ts';
import { openServiceStore, ServiceStoreAdapter } from './service-store.ts';
import { SqliteAdapter, SqliteEntities } from './sqlite-store.ts';

const [, , name, portText, dataDir] = process.argv;
const port = Number(portText);
const issuer = `http://127.0.0.1:${port}`;

const provider: Provider = new Provider(issuer, {
  adapter: await adapters(),
  clients: Object.entries(CLIENTS).map(([algorithm, clientId]) => ({
    client_id: clientId,
    client_secret: SECRET,
    token_endpoint_auth_method: 'client_secret_post',
    redirect_uris: [RETURN_ADDRESS],
    response_types: ['code'],
    grant_types: ['authorization_code', CIBA_GRANT],
    backchannel_token_delivery_mode: 'poll',
    id_token_signed_response_alg: algorithm,
  })),
  jwks: {
    keys: [
      privateJwk(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey, 'rsa'),
      privateJwk(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, 'ec'),
    ],
  },
  cookies: { keys: ['a key of the benchmark'] },
  // The service's store finds no session by what it has of it, and its own face does the same.
  ...(name === 'oidcStore' ? { expiresWithSession: () => false } : {}),
  features: { devInteractions: { enabled: false }, ciba: ciba() },
  interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
  findAccount: (_: unknown, accountId: string) => ({
    accountId,
    claims: () => ({ sub: accountId }),
  }),
  loadExistingGrant: async ({ oidc }: GrantContext) => {
    const grant = newGrant(oidc.client.clientId, oidc.session.accountId);
    await grant.save();
    return grant;
  },
});
provider.on('server_error', (_, error) => process.stderr.write(`${error.stack}\n`));

interface GrantContext {
  readonly oidc: {
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
  };
}

const answer = provider.callback();
const server = createServer((request, response) => {
  const { method, url = '' } = request;
  if (url.startsWith('/interaction/')) {
    const answered = method === 'POST' ? signIn(request, response) : showSignIn(request, response);
    answered.catch(answerError(response));
  } else if (method === 'POST' && url.startsWith('/approve/')) {
    approve(url, response).catch(answerError(response));
  } else answer(request, response);
});
server.listen(port, '127.0.0.1');

async function adapters() {
  if (name === 'oidcMemory') return () => new MemoryAdapter();
  if (dataDir === undefined) throw new Error('variant, port, folder');
  mkdirSync(dataDir, { recursive: true });
  if (name === 'oidcStore') {
    const store = await openServiceStore(dataDir);
    return (model: string) => new ServiceStoreAdapter(model, store);
  }
  if (name !== 'oidcSqlite') throw new Error(`there is no variant ${name}`);
  const entities = new SqliteEntities(join(dataDir, 'oidc.db'));
  return (model: string) => new SqliteAdapter(model, entities);
}

function ciba() {
  return {
    enabled: true,
    deliveryModes: ['poll'],
    processLoginHint: async (_: unknown, loginHint: string) => loginHint,
    verifyUserCode: async () => undefined,
    validateBindingMessage: async () => undefined,
    validateRequestContext: async () => undefined,
    triggerAuthenticationDevice: async () => undefined,
  };
}

/** The page on which the person signs in, as plain as one can be. */
async function showSignIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const begun = await provider.interactionDetails(request, response);
  const page =
    `<!doctype html><title>Sign in</title><h1>${String(member(begun, 'params', 'client_id'))}</h1>` +
    `<form method="post" action="${request.url ?? ''}"><button>Sign in</button></form>`;
  const length = Buffer.byteLength(page);
  response.writeHead(200, { 'content-type': 'text/html', 'content-length': length }).end(page);
}

/** What the application's page does after the sign-in. */
function signIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
  return provider.interactionFinished(request, response, { login: { accountId: ACCOUNT } });
}

/** Answers 500 for an error, so that it is counted as a failed request and the server goes on. */
function answerError(response: ServerResponse): (error: unknown) => void {
  return (error) => {
    process.stderr.write(`${String(error)}\n`);
    if (response.headersSent) response.destroy();
    else response.writeHead(500, { 'content-length': 0 }).end();
  };
}

/** What the application does after the approval on the phone. */
async function approve(url: string, response: ServerResponse): Promise<void> {
  const found = await provider.BackchannelAuthenticationRequest.find(url.slice('/approve/'.length));
  if (found === undefined) throw new Error('an approval of a request that is not there');
  const grant = await newGrant(found.clientId, found.accountId).save();
  await provider.backchannelResult(found, grant);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 2 }).end('{}');
}

function newGrant(clientId: string, accountId: string) {
  const grant = new provider.Grant({ clientId, accountId });
  grant.addOIDCScope('openid');
  return grant;
}

function privateJwk(key: KeyObject, kid: string) {
  return { ...key.export({ format: 'jwk' }), kid, use: 'sig' };
}
