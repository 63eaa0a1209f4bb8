import { InvalidClientAuth, InvalidRequest } from 'oidc-provider/lib/helpers/errors.js';
import type {
  Context,
  Grant,
  OidcClient,
  OidcContext,
  Provider,
} from 'oidc-provider/lib/provider.js';
import type { Clients } from '../account/clients.port.ts';
import type { User } from '../account/user.ts';
import { UNKNOWN_NATIONALITY } from '../account/user.ts';
import {
  asksForBirthDate,
  birthDateIn,
  OPENID_SCOPES,
  parsedClaims,
  type OpenidScope,
} from '../account/openid-client.ts';
import type { AttemptRecord } from '../attempt/attempt.ts';
import type { Services } from '../attempt/services.flow.ts';
import { textMember } from '../request/body/text-member.ts';
import { memberOf } from '../values/member.ts';
import { GRANT, orUnavailable, textIn } from './records.ts';
import { logOf } from './refused.ts';

/** The claims of each scope. `acr`, `amr` and `auth_time` are of the ID token (OpenID Core 2). */
export const CLAIMS = {
  openid: ['sub', 'acr', 'amr', 'auth_time'],
  profile: [
    'name',
    'name#ar',
    'given_name',
    'given_name#ar',
    'family_name',
    'family_name#ar',
    'locale',
    'gender',
  ],
  email: ['email', 'email_verified'],
  national_id: ['national_id', 'document_type', 'nationalities'],
  birthdate: ['birthdate'],
  offline_access: [],
} as const satisfies Record<OpenidScope, readonly string[]>;

/** The claims that these scopes give. */
function claimsOf(scopes: readonly OpenidScope[]): ReadonlySet<string> {
  return new Set(scopes.flatMap((scope): readonly string[] => CLAIMS[scope]));
}

/** For what a client has asked in the name of a person. */
export interface GrantRequest {
  /** Of the grant that the sign-in has begun. */
  readonly grantId: string;
  readonly clientId: string;
  readonly accountId: string;
  /** The scopes that the request asks for. */
  readonly requested: ReadonlySet<string>;
  /** Of the parameter `claims`. */
  readonly claims: OidcContext['claims'];
  /** What the sign-in has said of it; a session says nothing. */
  readonly birthDate?: string | null;
}

/**
 * The person's approval is the consent to what was asked for. Single claims are granted only within
 * the scopes of the client. It is not written yet.
 * @throws InvalidClientAuth
 */
export function newGrant(provider: Provider, clients: Clients, request: GrantRequest): Grant {
  const { grantId, clientId, accountId, requested, claims, birthDate = null } = request;
  // As they are now: the operator may have removed one while the person signed in.
  const client = clients.find(clientId);
  if (client === null) throw new InvalidClientAuth('the client was removed meanwhile');
  const scopes = client.openid?.scopes ?? [];
  const givesBirthDate = birthDate !== null && mayHaveBirthDate(clients, request);
  const grant = new provider.Grant({
    jti: grantId,
    clientId,
    accountId,
    ...(givesBirthDate ? { birthdate: birthDate } : {}),
  });
  grant.addOIDCScope(scopes.filter((scope) => requested.has(scope)).join(' '));
  const own = claimsOf(scopes);
  const asked = [claims?.id_token, claims?.userinfo].flatMap((wish) => Object.keys(wish ?? {}));
  grant.addOIDCClaims(asked.filter((claim) => own.has(claim)));
  return grant;
}

/** Whether a client asks for it, and has its scope now. */
function mayHaveBirthDate(
  clients: Clients,
  { clientId, requested, claims }: Pick<GrantRequest, 'clientId' | 'requested' | 'claims'>,
): boolean {
  const scopes = clients.find(clientId)?.openid?.scopes ?? [];
  return asksForBirthDate(scopes, { scopes: requested, claims });
}

type GrantNeeds = Pick<Services, 'clients' | 'store'>;

/**
 * As `newGrant`, and written. The sign-in has left a day of birth in the grant's first record.
 * @throws InvalidClientAuth by rejection
 */
export async function writeGrant(
  provider: Provider,
  { clients, store }: GrantNeeds,
  asked: Omit<GrantRequest, 'birthDate'>,
): Promise<Grant> {
  const first = mayHaveBirthDate(clients, asked)
    ? await orUnavailable(store.findOpenid({ model: GRANT, id: asked.grantId }))
    : null;
  const birthDate = first === null ? null : birthDateIn(first);
  const grant = newGrant(provider, clients, { ...asked, birthDate });
  await grant.save();
  return grant;
}

/** Writes that of the sign-in which the library goes on with. */
export async function writeGrantOfSignIn(
  { provider, client, session, result, requestParamOIDCScopes: requested, claims }: OidcContext,
  services: GrantNeeds,
) {
  const [clientId, accountId] = [client?.clientId, session?.accountId];
  const grantId = textIn(memberOf(result, 'consent'), 'grantId');
  if (clientId === undefined || accountId === undefined || grantId === null) return undefined;
  return writeGrant(provider, services, { grantId, clientId, accountId, requested, claims });
}

/**
 * Says whether a client gets what it has new tokens with, and only then makes its grant last as long: a
 * sign-in that was refused, or whose code nobody exchanges, leaves none behind.
 */
export function prolongGrant(seconds: number) {
  return async (
    { oidc }: Context,
    client: OidcClient,
    { scopes }: { readonly scopes: ReadonlySet<string> },
  ): Promise<boolean> => {
    const isGiven = client.grantTypeAllowed('refresh_token') && scopes.has('offline_access');
    const { Grant: grant } = oidc.entities;
    if (isGiven && grant !== undefined) {
      await Object.assign(grant, { exp: undefined, expiresIn: seconds }).save();
    }
    return isGiven;
  };
}

/**
 * The day of birth is of the sign-in, and is kept and ends with what that gave. Of what was granted, a
 * client has as much as the clients file lets it have now, however long ago that was.
 */
export function cutGrants({ Grant }: Pick<Provider, 'Grant'>, clients: Clients): void {
  Object.defineProperty(Grant, 'IN_PAYLOAD', { value: [...Grant.IN_PAYLOAD, 'birthdate'] });
  const { prototype } = Grant;
  const { getOIDCScope: granted, getOIDCClaims: grantedClaims } = prototype;
  // The library calls both for what was rejected too, which is of no client, and which there is not.
  const ownOf = ({ clientId = '' }: Partial<Grant>): readonly OpenidScope[] =>
    clients.find(clientId)?.openid?.scopes ?? [];
  prototype.getOIDCScope = function allowed() {
    const own: readonly string[] = ownOf(this);
    const all = granted.call(this).split(' ');
    return all.filter((scope) => own.includes(scope)).join(' ');
  };
  prototype.getOIDCClaims = function allowed() {
    const all = grantedClaims.call(this);
    if (all.length === 0) return all;
    const own = claimsOf(ownOf(this));
    return all.filter((claim) => own.has(claim));
  };
}

/**
 * What a request wishes beside its scopes: removes `acr_values` where `claims` insists on another level,
 * and logs what its client will not get, because the protocol has no answer for it.
 */
export function settleWishes(context: Context, client: OidcClient): void {
  const { oidc } = context;
  const wished = memberOf(oidc.params, 'claims');
  const claims = parsedClaims(wished);
  // The library copies them, by a function that calls itself for each list in a list.
  if (isDeep(claims, MOST_LEVELS)) throw new InvalidRequest('claims are nested too deeply');
  const acr = memberOf(memberOf(claims, 'id_token'), 'acr');
  // The library would take `acr_values` in the place of the level that the client insists on.
  if (memberOf(acr, 'essential') === true && wantedAcr(wished).length > 0) {
    Object.assign(oidc.params ?? {}, { acr_values: undefined });
  }
  const less = lessFor(context, client);
  if (less.length === 0) return;
  const reason = `${client.clientId}: ${less.join('; ')}`;
  logOf(context)?.info({ reason }, 'an OpenID request gets less than it asks for');
}

/** The deepest that have a meaning have four: `{"userinfo": {"name": {"values": [...]}}}`. */
const MOST_LEVELS = 8;

function isDeep(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeep(inner, levels - 1));
}

/** Why a client gets less than its request asks for. */
function lessFor({ oidc, query }: Context, client: OidcClient): readonly string[] {
  // As it was sent, because the library has left out what it does not give; a pushed one, when pushed.
  const sent = (name: string) => textMember(oidc.body, name) || textMember(query, name);
  const wanted = sent('scope').split(' ').includes('offline_access');
  const isGiven = textMember(oidc.params, 'scope').split(' ').includes('offline_access');
  const claims = sent('claims');
  if (claims === '' && (isGiven || !wanted)) return [];
  const own = OPENID_SCOPES.filter((scope) => client.scope?.split(' ').includes(scope));
  const mayHave = claimsOf(own);
  const asks = (claim: string) =>
    ['id_token', 'userinfo'].some(
      (where) => memberOf(memberOf(parsedClaims(claims), where), claim) !== undefined,
    );
  const lost = [...claimsOf(OPENID_SCOPES)].filter((claim) => !mayHave.has(claim) && asks(claim));
  const reasons = lost.map((claim) => `"${claim}" is in none of its scopes`);
  if (!wanted || isGiven) return reasons;
  const why = own.includes('offline_access')
    ? 'without prompt=consent'
    : 'because its "scope" in the clients file has none';
  return [...reasons, `offline_access is not given ${why}`];
}

/** The claim that goes with a grant. */
export function birthDateOf(grant: unknown): Readonly<Record<string, unknown>> {
  const birthdate = memberOf(grant, 'birthdate');
  return birthdate === undefined ? {} : { birthdate };
}

const GENDERS = { M: 'male', F: 'female', X: null } as const;

/** All that may be said of a person; the library leaves out what was not granted. */
export function claimsAbout(user: User): Readonly<Record<string, unknown>> {
  const english = namesOf(user.englishName === '' ? user.arabicName : user.englishName);
  const arabic = namesOf(user.arabicName);
  const { gender, nationality, email } = user;
  return {
    ...english,
    ...Object.fromEntries(Object.entries(arabic).map(([name, text]) => [`${name}#ar`, text])),
    locale: user.preferredLocale,
    ...(GENDERS[gender] === null ? {} : { gender: GENDERS[gender] }),
    // The provider says nothing of whether it has checked the address.
    ...(email === null ? {} : { email, email_verified: false }),
    national_id: user.nationalId,
    document_type: user.documentType,
    ...(nationality === UNKNOWN_NATIONALITY ? {} : { nationalities: [nationality] }),
  };
}

/** The provider gives one text. Its first word is the given name, its last one the family's. */
function namesOf(name: string): Readonly<Record<string, string>> {
  if (name === '') return {};
  const words = name.split(' ');
  const [given = name, family] = [words[0], words.at(-1)];
  if (words.length < 2 || family === undefined) return { name };
  return { name, given_name: given, family_name: family };
}

/** The levels of the provider that are named in the discovery document. */
const LEVELS = [1, 2, 3, 4];

const acrPrefix = (issuer: string) => `${issuer}/acr/`;

export function acrValues(issuer: string): string[] {
  return LEVELS.map((level) => `${acrPrefix(issuer)}${level}`);
}

/**
 * The `acr` of a sign-in: of those that the client insists on the highest that the person reaches,
 * because a higher level keeps what a lower one promises. Else the person's own level.
 */
export function acrOf(issuer: string, level: number, wanted: readonly string[]): string {
  const prefix = acrPrefix(issuer);
  const reached = LEVELS.filter((own) => own <= level && wanted.includes(`${prefix}${own}`));
  return `${prefix}${reached.at(-1) ?? level}`;
}

/**
 * How somebody has signed in (RFC 8176), where it is known: by a number that the application shows and
 * that they have chosen on their phone. How they approve in a browser only the provider knows.
 */
export function amrOf({ flow }: Pick<AttemptRecord, 'flow'>): readonly string[] | undefined {
  return flow === 'mfa' ? ['mca'] : undefined;
}

/** The `acr` values of the request's `claims` parameter. The library has checked its form. */
export function wantedAcr(claims: unknown): readonly string[] {
  const wish = memberOf(memberOf(parsedClaims(claims), 'id_token'), 'acr');
  const listed = memberOf(wish, 'values');
  const values: readonly unknown[] = Array.isArray(listed) ? listed : [];
  const all = [memberOf(wish, 'value'), ...values];
  return all.filter((acr): acr is string => typeof acr === 'string');
}

/** What an ID token would have to say, and does not: an essential `acr`, or whom it is about. */
export function missesWishes(
  claims: OidcContext['claims'],
  { sub, acr }: { readonly sub: string; readonly acr: string },
): boolean {
  const wished = memberOf(claims, 'id_token');
  const isEssential = memberOf(memberOf(wished, 'acr'), 'essential') === true;
  const wanted = wantedAcr(claims);
  const whom = memberOf(memberOf(wished, 'sub'), 'value');
  return (
    (isEssential && wanted.length > 0 && !wanted.includes(acr)) ||
    (whom !== undefined && whom !== sub)
  );
}
