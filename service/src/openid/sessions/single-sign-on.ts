import { TemporarilyUnavailable } from 'oidc-provider/lib/helpers/errors.js';
import { Check, Prompt, type Policy } from 'oidc-provider/lib/helpers/interaction_policy/index.js';
import type { Context, OidcContext, Provider, Session } from 'oidc-provider/lib/provider.js';
import { asksForBirthDate, SHARED_SESSION } from '../../account/openid-client.ts';
import { clientInScope, scopeOf } from '../../attempt/scenario.ts';
import { textMember } from '../../request/body/text-member.ts';
import type { HttpContext } from '../../request/context.ts';
import { memberOf } from '../../values/member.ts';
import { writeGrant, wantedAcr } from '../claims.ts';
import { tellOfLogout, type LogoutParts } from '../logout.ts';
import { personOf } from '../phone.flow.ts';
import { GRANT, orUnavailable, ownerOf, requireShort } from '../records.ts';
import { BEGUN_MS, newGrantId } from '../sign-in.flow.ts';
import { hasNoPlace, kindOf, levelOf } from './sessions.ts';

/**
 * Single sign-on: a request of a client that has `sso` is answered without the person, in a browser in
 * which they have signed in for such a client.
 */

type Services = Pick<HttpContext['services'], 'clients' | 'random' | 'store'>;
type Needs = Pick<HttpContext, 'clock'> & { readonly services: Services };

/**
 * Lets a provider of shared sessions take one only where it may answer. The logout is added after it,
 * and takes the place of how the library tells clients.
 */
export function addSingleSignOn(
  provider: Provider,
  { services }: Needs,
  endSession: LogoutParts['endSession'],
): void {
  const { Client, Interaction, Session } = provider;
  const tell = Client.prototype.backchannelLogout;
  const read = Session.get.bind(Session);
  Session.get = async (context) => {
    const session = await read(context);
    const isTaken =
      session.accountId === undefined ||
      (await mayBeTaken(session, context, {
        services,
        signInOf: (uid) => Interaction.find(uid),
        // Another person has signed in: what the one before them was given in this browser ends.
        end: async () => {
          if (await endSession(session.id)) await tellOfLogout(context, session, tell);
        },
      }));
    if (isTaken) return session;
    const other = Session.instantiate();
    context.oidc.entity('Session', other);
    return other;
  };
}

interface Taking {
  readonly services: Services;
  readonly signInOf: (uid: string) => Promise<object | undefined>;
  readonly end: () => Promise<void>;
}

async function mayBeTaken(session: Session, context: Context, taking: Taking): Promise<boolean> {
  const { services, signInOf, end } = taking;
  const { route } = context.oidc;
  if (route === 'authorization') {
    const asking = textMember(context.query, 'client_id');
    return (
      isWholePage(context) &&
      kindOf(services.clients, session.begunFor ?? '') === 'shared' &&
      isOneScope(session, asking)
    );
  }
  if (route !== 'resume') return true;
  const signIn = await signInOf(context.params['uid'] ?? '');
  const accountId = memberOf(memberOf(memberOf(signIn, 'result'), 'login'), 'accountId');
  if (accountId === undefined) return true;
  const asking = textMember(memberOf(signIn, 'params'), 'client_id');
  if (accountId === session.accountId && isOneScope(session, asking)) return true;
  await end();
  return false;
}

/**
 * No page of others makes a request in a frame, or as a part of it, of which the person sees nothing,
 * nor has a page loaded that they may never open.
 */
function isWholePage({ headers }: Context): boolean {
  const { 'sec-fetch-dest': destination = 'document', 'sec-purpose': purpose = '' } = headers;
  if (purpose.startsWith('prefetch')) return false;
  return destination === 'document';
}

/** Scopes of a simulation know nothing of each other. */
function isOneScope({ begunFor = '' }: Session, asking: string): boolean {
  return scopeOf(clientInScope(begunFor)) === scopeOf(clientInScope(asking));
}

/** When a request asks the person anew beside a session, and what a session has to be for an answer. */
export function sharePolicy(policy: Policy, needs: Needs): Policy {
  const { checks } = policy.get('login') ?? {};
  checks?.add(
    new Check('asked_anew', 'the person has to be asked', 'login_required', ({ oidc }) => {
      if (oidc.session?.accountId === undefined || oidc.result?.login !== undefined) return false;
      return asksAnew(oidc);
    }),
  );
  const last = new Prompt({ name: 'session', requestable: false });
  last.checks.add(
    new Check('session', 'the session has ended', 'login_required', async ({ oidc }) => {
      const { session, client, result } = oidc;
      if (session === undefined || client === undefined) return true;
      if (result?.login === undefined) return !(await isContinued(oidc, session, needs));
      session.begunFor = client.clientId;
      return false;
    }),
  );
  policy.add(last);
  return policy;
}

/** Beside what the library looks at: `prompt=login`, `max_age`, `id_token_hint` and essential claims. */
function asksAnew(oidc: OidcContext): boolean {
  const { client, claims, params, prompts, session, requestParamOIDCScopes: scopes } = oidc;
  if (prompts.has('consent') || prompts.has('select_account')) return true;
  if (personOf(params) !== null) return true;
  // Only a sign-in says it: a session keeps no day of birth.
  const listed = client?.scope?.split(' ') ?? [];
  if (asksForBirthDate(listed, { scopes, claims })) return true;
  const wanted = wantedAcr(claims).map(levelOf);
  const own = levelOf(session?.acr ?? '');
  return wanted.length > 0 && wanted.every((level) => level > own);
}

/**
 * Begins a grant for the person of the session. One statement decides whether they may still be answered
 * for: whoever was stopped meanwhile is asked, and that refuses them.
 */
async function isContinued(
  oidc: OidcContext,
  session: Session,
  { services, clock }: Needs,
): Promise<boolean> {
  const { provider, client, claims, requestParamOIDCScopes: requested } = oidc;
  const { clientId = '' } = client ?? {};
  const { accountId = '' } = session;
  const { store, random } = services;
  requireShort(oidc.params);
  const at = clock.now();
  if (hasNoPlace(session, clientId, at)) {
    throw new TemporarilyUnavailable('the session has given too many codes in a minute');
  }
  const grantId = newGrantId(random);
  const isBegun = await orUnavailable(
    store.continueOpenid({
      from: { model: SHARED_SESSION, id: session.id },
      begins: { model: GRANT, id: grantId, expiresAt: at + BEGUN_MS },
      client: ownerOf(clientId),
      at,
    }),
  );
  if (!isBegun) return false;
  const grant = await writeGrant(provider, services, {
    grantId,
    clientId,
    accountId,
    requested,
    claims,
  });
  oidc.entity('Grant', grant);
  session.ensureClientContainer(clientId);
  session.grantIdFor(clientId, grantId);
  return true;
}
