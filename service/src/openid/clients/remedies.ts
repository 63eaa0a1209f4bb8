import { DEMO_SECRET, type Client } from '../../account/client.ts';

const WRONG_SECRET = /invalid secret provided/;

/** By the library's own words: what the one who set the client up has to look at. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [WRONG_SECRET, 'its secret is one of the keys whose hashes the clients file has'],
  [
    /ciba is not allowed/,
    'a confidential client may have "backchannel_token_delivery_mode": "poll" in openid',
  ],
  [
    /requires PKCE|code_challenge must be provided/,
    'send code_challenge, or give a confidential client "require_pkce": false in openid',
  ],
  [
    /authentication mechanism does not match/,
    'send its secret in the way of "token_endpoint_auth_method" in openid, client_secret_basic by default',
  ],
  [/content-type bodies are supported/, 'send a form, as curl -d does by itself'],
  [/openid scope must be requested/, 'send a scope with openid in it, such as "openid profile"'],
  [/requested scope is not allowed/, 'add it to "scope" in openid of the client'],
  [
    /authorization code (?:not found|already consumed|is expired)/,
    'a code is good once, for a minute: begin the sign-in anew',
  ],
  [/redirect_uri mismatch/, 'send the redirect_uri that the request of the browser had'],
  [
    /code_verifier (?:does not match|must be provided)/,
    'send the code_verifier whose code_challenge began this sign-in',
  ],
  [
    /refresh token (?:not found|already|is expired)/,
    'a refresh token is good once: send the one of the last answer, or begin the sign-in anew',
  ],
  [
    /authentication request (?:not found|already consumed)/,
    'its tokens are given once: ask the person again',
  ],
  [/: client mismatch/, 'it is of another client, whose id and secret belong to it'],
  [/: grant (?:not found|is expired)/, 'it has ended: begin the sign-in anew'],
  [
    /invalid request_uri|request_uri is invalid/,
    'it is good once, for a minute: push the request again',
  ],
  [/^request_not_supported$/, 'send its parameters themselves, and no JWT as request'],
  [
    /^request_uri_not_supported$/,
    'a request_uri is one that POST /openid/par has given, for GET /openid/authorize alone',
  ],
  [/^registration_not_supported$/, 'clients are those of the file of CLIENTS_FILE'],
  [/response_type requested|requested response_type/, 'send response_type=code'],
  [/code_challenge_method must|of code_challenge_method/, 'send code_challenge_method=S256'],
  [/no client authentication/, 'send client_id, and the secret of a confidential client by Basic'],
  [/missing required parameters? .*'client_id'/, 'send client_id in the form too, beside Basic'],
  [/invalid authorization header/, 'send Basic, and id:secret in base64'],
  [/unsupported grant_type/, 'discovery has grant_types_supported'],
  [
    /grant type is not allowed/,
    'see offline_access in "scope", and "backchannel_token_delivery_mode", in openid of the client',
  ],
  [/only be used once/, 'sign an assertion for each request, with a jti of its own'],
  [/good for too long/, 'its exp is an hour ahead at most'],
];

/** What to do about an error, for the one who set the client up. @param said the library's words */
export function remedyOf(said: string, client: Client | null): string | null {
  const isDemo = client?.returnsToLoopback === true && WRONG_SECRET.test(said);
  if (isDemo) return `its secret is ${DEMO_SECRET}`;
  return REMEDIES.find(([words]) => words.test(said))?.[1] ?? null;
}
