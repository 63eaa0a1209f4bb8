/** Requests to the peer, oidc-provider: CIBA with polling, and the code flow as by a browser. */
import { createHash } from 'node:crypto';
import {
  ACCOUNT,
  CIBA_GRANT,
  CLIENTS,
  RETURN_ADDRESS,
  SECRET,
  type Algorithm,
} from '../servers/oidc/clients.ts';
import type { Attempts } from './attempts.ts';
import type { Exchange } from './requests.ts';
import { cibaPending, cibaStarted, form, get, hasTokens, keepCookies } from './web.ts';

const POLLS = 5;
const VERIFIER = 'a verifier for the proof of key exchange'.replaceAll(' ', '-').padEnd(43, '-');
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

const CIBA_CLIENT = { client_id: CLIENTS.RS256, client_secret: SECRET };

type Accept = (id: string) => void;

export function cibaStart(port: number, onStarted: Accept): Exchange {
  const fields = { ...CIBA_CLIENT, scope: 'openid', login_hint: ACCOUNT };
  return cibaStarted(form('/backchannel', fields, { port }), onStarted);
}

/** A whole CIBA login: start, polls while the person is asked, the approval, the token. */
export function cibaLogin(attempts: Attempts, port: number): Exchange {
  let id = '';
  const start = cibaStart(port, (started) => (id = started));
  return { ...start, next: () => cibaPolls(id, POLLS, attempts, port) };
}

function cibaPolls(id: string, left: number, attempts: Attempts, port: number): Exchange {
  return {
    ...cibaPoll(id, port),
    next: () =>
      left > 1 ? cibaPolls(id, left - 1, attempts, port) : cibaApproval(id, attempts, port),
  };
}

export function cibaPoll(id: string, port: number): Exchange {
  const fields = { ...CIBA_CLIENT, grant_type: CIBA_GRANT, auth_req_id: id };
  return cibaPending(form('/token', fields, { port }));
}

function cibaApproval(id: string, attempts: Attempts, port: number): Exchange {
  const fields = { ...CIBA_CLIENT, grant_type: CIBA_GRANT, auth_req_id: id };
  return {
    request: form(`/approve/${id}`, {}, { port }),
    accept: ({ status }) => status === 200,
    next: () => ({
      request: form('/token', fields, { port }),
      accept: (answer) => {
        attempts.count({ attempts: 1, tokens: 1 });
        return hasTokens(answer);
      },
    }),
  };
}

/**
 * The code flow: the authorization request, the post of the application's sign-in page (the page
 * itself is not requested), the return, and the exchange of the code.
 */
export function codeLogin(algorithm: Algorithm, attempts: Attempts, port: number): Exchange {
  const visit = { clientId: CLIENTS[algorithm], cookies: new Map<string, string>(), port };
  return begun(visit, (interaction) => signedIn(visit, interaction, attempts));
}

/** The same, and the page is requested, which asks the library what the sign-in is for. */
export function codeSignIn(attempts: Attempts, port: number): Exchange {
  const cookies = new Map<string, string>();
  const visit = { clientId: CLIENTS.RS256, cookies, port };
  return begun(visit, (interaction) => ({
    request: get(interaction, { port, cookies }),
    accept: ({ status, body }) => status === 200 && String(body).includes(`"${interaction}"`),
    next: () => signedIn(visit, interaction, attempts),
  }));
}

interface Visit {
  readonly clientId: string;
  readonly cookies: Map<string, string>;
  readonly port: number;
}

function begun({ clientId, cookies, port }: Visit, next: (interaction: string) => Exchange) {
  const query = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: RETURN_ADDRESS,
    scope: 'openid',
    state: 'state',
    nonce: 'nonce',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
  });
  return redirected(get(`/auth?${query}`, { port, cookies }), cookies, next);
}

function signedIn({ clientId, cookies, port }: Visit, interaction: string, attempts: Attempts) {
  return redirected(form(interaction, {}, { port, cookies }), cookies, (resumed) =>
    redirected(get(resumed, { port, cookies }), cookies, (returned) => ({
      request: form('/token', exchangeOf(clientId, returned), { port }),
      accept: (answer) => {
        attempts.count({ completions: 1, tokens: 1 });
        return hasTokens(answer);
      },
    })),
  );
}

function exchangeOf(clientId: string, returned: string): Record<string, string> {
  return {
    client_id: clientId,
    client_secret: SECRET,
    grant_type: 'authorization_code',
    redirect_uri: RETURN_ADDRESS,
    code: new URL(returned).searchParams.get('code') ?? '',
    code_verifier: VERIFIER,
  };
}

function redirected(
  request: string,
  cookies: Map<string, string>,
  next: (location: string) => Exchange,
): Exchange {
  let location: string | undefined;
  return {
    request,
    accept: ({ status, head }) => {
      location = /\r\nlocation: *(\S+)/i.exec(head)?.[1]?.replace(/^http:\/\/127\.0\.0\.1:\d+/, '');
      keepCookies(head, cookies);
      return status === 303 && location !== undefined;
    },
    next: () => next(location ?? ''),
  };
}
