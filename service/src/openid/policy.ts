import { checkIdTokenHint } from 'oidc-provider/lib/actions/authorization/claims.js';
import {
  AccessDenied,
  InvalidRedirectUri,
  LoginRequired,
  UnmetAuthenticationRequirements,
} from 'oidc-provider/lib/helpers/errors.js';
import {
  base,
  Check,
  Prompt,
  type Policy,
} from 'oidc-provider/lib/helpers/interaction_policy/index.js';
import { textMember } from '../request/body/text-member.ts';

/** Checks of the library that the same person can't pass by signing in again. */
const ABOUT_LEVEL: ReadonlySet<string> = new Set(['essential_acr', 'essential_acrs']);

/**
 * When the person has to sign in: whenever there is no session, and no session outlives its
 * sign-in. What a sign-in could not meet is an error for the client: the library would ask the same
 * person again and again.
 */
export function signInPolicy(): Policy {
  const policy = base();
  const login = policy.get('login');
  if (login === undefined) throw new Error('the library has no prompt to sign in');
  for (const check of login.checks) {
    const isAsked = check.check;
    check.check = async (context) => {
      // The library reads the hint before the sign-in only, and would then take anybody.
      if (check.reason === 'id_token_hint') await checkIdTokenHint(context, () => undefined);
      const asks = await isAsked(context);
      if (!asks || context.oidc.result?.login === undefined) return asks;
      throw ABOUT_LEVEL.has(check.reason)
        ? new UnmetAuthenticationRequirements('the sign-in does not reach the requested acr')
        : new LoginRequired('somebody else has signed in');
    };
  }
  login.checks.add(
    new Check(
      'enabled',
      'the account can be used',
      'access_denied',
      ({ oidc: { session, account } }) => {
        if (session?.accountId !== undefined && account === undefined) {
          throw new AccessDenied('the account can not be used');
        }
        return false;
      },
    ),
    0,
  );
  login.checks.add(
    new Check(
      'registered',
      'the redirect address is still one of the client',
      'access_denied',
      ({ oidc: { client, params } }) => {
        // The library asks only before the sign-in; meanwhile the operator may have removed it.
        if (client?.redirectUriAllowed(textMember(params, 'redirect_uri')) === true) return false;
        throw new InvalidRedirectUri();
      },
    ),
    0,
  );
  // The page before the sign-in names the application: its button is the consent.
  policy.get('consent')?.checks.clear();
  const account = new Prompt({ name: 'select_account', requestable: true });
  // Every sign-in is by whoever approves it.
  account.checks.clear();
  policy.add(account);
  return policy;
}
