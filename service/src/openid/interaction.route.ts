import { contentSecurityPolicy, launchPage, numberPage } from '@miftah/pages';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SessionNotFound, TemporarilyUnavailable } from 'oidc-provider/lib/helpers/errors.js';
import type { Interaction, Provider } from 'oidc-provider/lib/provider.js';
import { sendRefusal } from '../attempt/browser/send-refusal.route.ts';
import { makeBrowserSecret, BROWSER_SECRET_BYTES } from '../attempt/browser/browser-secret.ts';
import type { Client } from '../account/client.ts';
import { interactionPath, wishOf } from '../account/openid-client.ts';
import { Refusal } from '../errors/refusal.ts';
import { isPending } from '../attempt/status/wait-for-end.flow.ts';
import { requireNoContent, statusAtEnd } from '../attempt/status/waiting.route.ts';
import { requireSoundClock } from '../operate/readiness.flow.ts';
import {
  languageEnds,
  languageLinks,
  pageLocale,
  queryText,
} from '../request/answer/page-locale.ts';
import { leadTo, sendPage } from '../request/answer/send-page.ts';
import { requireOwnPage, routeWithForm } from '../request/body/forms.ts';
import { textMember } from '../request/body/text-member.ts';
import { LaunchForm } from '../request/body/page-forms.ts';
import { browserCookie, setBrowserCookie } from '../request/caller/browser-cookie.ts';
import { callerKeyOf, limitByAddress } from '../request/caller/caller.ts';
import type { HttpContext } from '../request/context.ts';
import { recordStart } from '../request/record/record-exchanges.ts';
import { refuseOverload } from '../request/request-head.ts';
import { parseAttemptId, type AttemptId } from '../values/ids.ts';
import { RATE_POLICIES } from '../values/limits.ts';
import { DEFAULT_LOCALE, preferredLocale, type Locale } from '../values/locale.ts';
import { Secret } from '../values/secret.ts';
import { SECOND_MS } from '../values/time.ts';
import { acrOf } from './claims.ts';
import { mayLeadTo } from './clients/client-records.ts';
import type { Ended } from './held-changes.ts';
import type { Launching } from './launching.port.ts';
import { personOf, pushFor, pushOf } from './phone.flow.ts';
import {
  attemptFor,
  END_TEXTS,
  finishSignIn,
  wishedLocale,
  type SignInEnd,
} from './sign-in.flow.ts';

export interface InteractionParts {
  readonly provider: () => Promise<Provider>;
  readonly launching: Launching;
  /**
   * Has the library answer a request by which an interaction of a client ends.
   * @param end what it has ended with, which is asked for in the turn of its session
   */
  readonly goOn: (
    asked: {
      readonly client: string;
      readonly request: FastifyRequest;
      readonly reply: FastifyReply;
    },
    end: () => Promise<Ended>,
  ) => Promise<FastifyReply>;
}

export type UidRequest = FastifyRequest<{ Params: { uid: string } }>;

const PAGE = { page: true } as const;
const HIDDEN = { hide: true };

/** The pages between an application's request and its answer. */
export function addInteraction(
  app: FastifyInstance,
  context: HttpContext,
  parts: InteractionParts,
): void {
  const count = limitByAddress(context, RATE_POLICIES.bearer);
  const shown = { exposeHeadRoute: false, schema: HIDDEN, onRequest: count } as const;
  const launched = { ...PAGE, attemptIn: 'ties', recordedAs: 'launch' } as const;
  const returned = { ...PAGE, attemptIn: 'ties', recordedAs: 'openidReturn' } as const;
  const launch = { ...shown, config: launched };
  app.get(interactionPath(':uid'), launch, async (request: UidRequest, reply) =>
    orPage(request, reply, () => showLaunch(context, parts, request, reply)),
  );
  routeWithForm<{ Params: { uid: string }; Body: LaunchForm }>(app, {
    method: 'POST',
    url: interactionPath(':uid'),
    config: launched,
    schema: { ...HIDDEN, body: LaunchForm },
    onRequest: [
      requireOwnPage(context),
      ...limitByAddress(context, RATE_POLICIES.start),
      refuseOverload(context),
    ],
    handler: async (request, reply) =>
      orPage(request, reply, () => press(context, parts, request, reply)),
  });
  app.get(`${interactionPath(':uid')}/push`, shown, async (request: UidRequest, reply) =>
    waitForPush(context, request, reply),
  );
  const end = { ...shown, config: returned };
  app.get(`${interactionPath(':uid')}/return`, end, async (request: UidRequest, reply) =>
    orPage(request, reply, () => finish(context, parts, request, reply)),
  );
}

/** Nothing of a browser's sign-in is told as JSON, but to the page's own script. */
async function orPage(
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work();
  } catch (error) {
    return sendRefusal(request, reply, refusalOf(error), { onMismatch: 'browser_mismatch' });
  }
}

/** What an error of the library means here; other errors are as they are. */
function refusalOf(error: unknown): unknown {
  if (error instanceof SessionNotFound) return new Refusal('attempt.not_found');
  return error instanceof TemporarilyUnavailable ? error.cause : error;
}

interface Begun {
  readonly interaction: Interaction;
  readonly client: Client;
  /** The attempt that a press of the button has begun. */
  readonly linked: AttemptId | null;
}

/**
 * The interaction whose cookie this browser has. The cookie is signed, and of this path alone.
 * @throws SessionNotFound, or Refusal where it has ended or the client was removed
 */
async function begunBy(
  context: HttpContext,
  parts: InteractionParts,
  request: UidRequest,
  reply: FastifyReply,
) {
  const provider = await parts.provider();
  const interaction = await provider.interactionDetails(request.raw, reply.raw);
  const client = context.services.clients.find(textMember(interaction.params, 'client_id'));
  const isOther = interaction.uid !== request.params.uid;
  if (isOther || client === null || client.openid === null) {
    throw new Refusal('attempt.not_found');
  }
  const linked = parseAttemptId(interaction.attemptId ?? '');
  return { interaction, client, linked } satisfies Begun;
}

/** Looking at the page changes nothing: the national provider is asked when its button is pressed. */
async function showLaunch(
  context: HttpContext,
  parts: InteractionParts,
  request: UidRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { interaction, client } = await begunBy(context, parts, request, reply);
  const { settings } = context;
  const locale = localeOf(request, interaction);
  const nationalId = personOf(interaction.params);
  const common = commonOf(context, client, locale, languageLinks(request));
  const push = nationalId === null ? null : await readPush(context, request);
  if (push !== null) {
    const path = interactionPath(interaction.uid);
    if (push.state === 'pending') {
      const shown = { number: push.record.bindingCode ?? '', events: `${path}/push` };
      return sendPage(reply, numberPage({ ...common, ...shown }));
    }
    const back = `${settings.publicUrl}${path}/return`;
    return reply.redirect(`${back}?attempt_id=${push.record.attemptId}`, 303);
  }
  // As on the launch page of the attempt API: so that the browser says whose form it is.
  reply.header('referrer-policy', REFERRER_POLICY);
  const phoneOf = nationalId?.slice(-LAST_DIGITS) ?? null;
  return sendPage(reply, launchOf(context, interaction.uid, { ...common, phoneOf }), 'self');
}

const REFERRER_POLICY = 'same-origin';

function commonOf(
  { services, settings }: HttpContext,
  client: Client,
  locale: Locale,
  links: Record<Locale, string>,
) {
  return {
    locale,
    languageLinks: links,
    service: client.name,
    rehearsal: services.rules.launchIsRehearsed,
    simulation: settings.mode === 'simulator',
  };
}

type Shown = ReturnType<typeof commonOf> & { readonly phoneOf: string | null };

function launchOf({ services, settings }: HttpContext, uid: string, shown: Shown) {
  return launchPage({
    ...shown,
    // No id of an attempt: it fills the form's field `state` alone.
    attemptId: uid,
    secret: makeBrowserSecret(services.random.bytes(BROWSER_SECRET_BYTES)).reveal(),
    action: `${settings.publicUrl}${interactionPath(uid)}?locale=${shown.locale}`,
  });
}

/**
 * Answers a request that has begun an interaction with its page, in the place of leading the browser
 * there: one request less. The form and the links of the page are those of the interaction, which has
 * the same page at its own address. Loaded anew, the request begins another interaction; one that was
 * pushed is over by then (RFC 9126, section 4), so its browser is led to the page.
 */
export function showAtOnce(provider: Provider, context: HttpContext): void {
  provider.use(async (asked, next) => {
    await next();
    const { route, entities } = asked.oidc ?? {};
    const { Interaction: begun, PushedAuthorizationRequest: pushed } = entities ?? {};
    const isBegun = route === 'authorization' && asked.status === 303 && pushed === undefined;
    if (!isBegun || begun === undefined) return;
    const client = context.services.clients.find(textMember(begun.params, 'client_id'));
    if (client === null) return;
    const accepted = preferredLocale(asked.headers['accept-language']);
    const locale = wishedLocale(begun.params) ?? accepted ?? DEFAULT_LOCALE;
    const links = languageEnds(`${interactionPath(begun.uid)}?locale=`);
    const common = commonOf(context, client, locale, links);
    const page = launchOf(context, begun.uid, { ...common, phoneOf: null });
    asked.status = 200;
    asked.remove('location');
    asked.type = 'html';
    asked.set('referrer-policy', REFERRER_POLICY);
    const { script } = page;
    asked.set('content-security-policy', contentSecurityPolicy({ formAction: 'self', script }));
    asked.body = page.html;
  });
}

/** So much of a number says whose phone it is to whoever knows the number. */
const LAST_DIGITS = 2;

function readPush({ services, clock }: HttpContext, request: UidRequest) {
  const cookieOf = (id: string) => browserCookie(request, id);
  return pushOf(services, request.params.uid, cookieOf, clock.now());
}

/** Shorter than proxies keep a silent connection. */
const WAIT_MS = 25 * SECOND_MS;

/** Told to the script of the page with the number, which then loads that page anew. */
async function waitForPush(
  context: HttpContext,
  request: UidRequest,
  reply: FastifyReply,
): Promise<{ readonly isOpen: boolean }> {
  requireNoContent(request);
  const address = callerKeyOf(context, request);
  const read = async () => {
    const attempt = await readPush(context, request);
    if (attempt === null) throw new Refusal('attempt.not_found');
    return { attempt, user: null };
  };
  const first = await read();
  const last = isPending(first)
    ? await statusAtEnd(context, { first, request, reply, address, read, limitMs: WAIT_MS })
    : first;
  return { isOpen: isPending(last) };
}

/** The language that the page was switched to, else the first of the client's `ui_locales`. */
function localeOf(request: FastifyRequest, { params }: Interaction): Locale {
  return pageLocale(request, wishedLocale(params));
}

async function press(
  context: HttpContext,
  parts: InteractionParts,
  request: FastifyRequest<{ Params: { uid: string }; Body: LaunchForm }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { services, clock, timekeeper, addresses } = context;
  const { interaction, client, linked } = await begunBy(context, parts, request, reply);
  if (services.rules.needsSoundClock) requireSoundClock(timekeeper);
  const now = clock.now();
  const locale = localeOf(request, interaction);
  const address = addresses.of(request);
  const asked = { uid: interaction.uid, client, locale, address };
  const nationalId = personOf(interaction.params);
  if (nationalId !== null) {
    const browser = request.body.secret;
    const cookieOf = (id: string) => browserCookie(request, id);
    const wanted = { ...asked, nationalId, browser, cookieOf, log: request.log };
    const record = await pushFor(services, wanted, now);
    recordStart(context, request, reply, record);
    setBrowserCookie(reply, record, new Secret(cookieOf(record.attemptId) ?? browser), now);
    return reply.redirect(`${interactionPath(interaction.uid)}?locale=${locale}`, 303);
  }
  const record = await attemptFor(services, { ...asked, linked }, now);
  recordStart(context, request, reply, record);
  const browser = browserCookie(request, record.attemptId) ?? request.body.secret;
  const launched = await parts.launching.launch({ record, browser, locale, address }, now);
  setBrowserCookie(reply, record, new Secret(browser), now);
  return leadTo(request, reply, launched, locale);
}

/**
 * Hands the end of the sign-in to the library, which leads the browser to the application. One request:
 * with a second, another browser could bring the end of this sign-in.
 */
async function finish(
  context: HttpContext,
  parts: InteractionParts,
  request: UidRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { services, clock, settings } = context;
  const { interaction, client, linked } = await begunBy(context, parts, request, reply);
  const attemptId = parseAttemptId(queryText(request, 'attempt_id'));
  if (attemptId === null) throw new Refusal('attempt.not_found');
  const back = {
    linked,
    attemptId,
    completionCode: queryText(request, 'completion_code'),
    wish: wishOf(interaction.params),
    cookieOf: (id: string) => browserCookie(request, id),
  };
  return parts.goOn({ client: client.id, request, reply }, async () => {
    const end = await finishSignIn(services, parts.launching, back, clock.now());
    // The library would lead an error to an address that is none of the client's any more. Without a result
    // its check refuses that in a page.
    const address = textMember(interaction.params, 'redirect_uri');
    const isLed = !('error' in end) || mayLeadTo(client, 'redirectUris', address);
    const result = isLed ? resultOf(settings.publicUrl, end) : {};
    const { user, use } = 'error' in end ? NOBODY : end;
    return { interaction: Object.assign(interaction, { result }), user, use };
  });
}

const NOBODY = { user: null, use: null };

function resultOf(issuer: string, end: SignInEnd) {
  if ('error' in end) return { error: end.error, error_description: END_TEXTS[end.error] };
  const { user, subject, grantId, at, amr } = end;
  // Of the person: each request is told what it insists on of that (`addSessions`).
  const acr = acrOf(issuer, user.assuranceLevel, []);
  const ts = Math.floor(at / SECOND_MS);
  return { login: { accountId: subject, acr, amr, ts, remember: false }, consent: { grantId } };
}
