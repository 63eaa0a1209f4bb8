/** The answer to the browser at each stage of a sign-in. */
import { endedPage, handOverPage, type EndedKind } from '@miftah/pages';
import type { FastifyReply } from 'fastify';
import type { SignIn } from '../engine/prompts/authorize.ts';
import type { Locale } from '../engine/locale.ts';
import type { Decision, RedirectPrompt } from '../engine/prompts/prompts.ts';
import { leadTo, sendPage } from '../http/page.ts';
import type { Act } from '../journal/entry.ts';
import { recordDecision } from '../journal/record-act.ts';
import type { RouteContext } from '../options.ts';

export const AUTHORIZE_PATH = '/authservice/authorize';

/** Each reason why the sign-in can't continue, with its status and page. */
const ENDINGS = {
  unknown: [404, 'unknown'],
  invalid: [400, 'failed'],
  foreign: [403, 'failed'],
  exchanged: [410, 'authenticated'],
  rejected: [410, 'rejected'],
  expired: [410, 'expired'],
  broken: [500, 'failed'],
} as const satisfies Record<string, readonly [number, EndedKind]>;

export function replyEnded(
  reply: FastifyReply,
  ending: keyof typeof ENDINGS,
  locale: Locale,
): FastifyReply {
  const [status, kind] = ENDINGS[ending];
  const { id: requestId } = reply.request;
  return sendPage(
    reply.code(status),
    endedPage({ locale, kind, requestId, simulation: true, ...linksOf(ending) }),
  );
}

/** The other pages belong to one request, which no link can repeat. */
function linksOf(ending: keyof typeof ENDINGS) {
  if (ending !== 'unknown') return {};
  const own = `${AUTHORIZE_PATH}?ui_locales=`;
  return { languageLinks: { ar: `${own}ar`, en: `${own}en` } };
}

interface PageDecision {
  readonly decision: Decision;
  readonly by: Act['by'];
  readonly personId?: string | undefined;
  readonly state: string;
  readonly locale: Locale;
}

/** Carries out a decision on the sign-in page, and sends the browser on. */
export function carryOut(
  reply: FastifyReply,
  context: RouteContext,
  found: SignIn,
  { decision, by, personId, state, locale }: PageDecision,
): FastifyReply | Promise<FastifyReply> {
  const { engine } = context;
  const decided = engine.decide({ promptId: found.prompt.id, decision, personId });
  if (decided.ok) recordDecision(context, decided.prompt, { decision, by });
  const fault = !decided.ok && decided.reason !== 'ended';
  if (fault) return replyEnded(reply, 'invalid', locale);
  const now = engine.signIn(state) ?? found;
  // A refusal has no result for the provider's callback, so the browser goes straight back.
  if (decided.ok && now.stage === 'rejected') {
    return replyReturn(reply, context, now.prompt, state);
  }
  return replyDecided(reply, context, now, { state, locale });
}

/**
 * For a decided sign-in, whoever decided it: posts to the provider's own callback, or shows its
 * end.
 */
export async function replyDecided(
  reply: FastifyReply,
  context: RouteContext,
  { prompt, stage }: SignIn,
  { state, locale }: { state: string; locale: Locale },
): Promise<FastifyReply> {
  if (stage !== 'approved' && stage !== 'open') return replyEnded(reply, stage, locale);
  const plan = context.engine.pageToken(prompt);
  if (plan === null) return replyEnded(reply, 'invalid', locale);
  const fields = { state, id_token: await context.signer.sign(plan) };
  const action = context.engine.settings.callbackUrl;
  return sendPage(reply, handOverPage({ locale, action, fields }), 'self');
}

/**
 * Sends the browser back to the relying party with only the state: the relying party must then ask
 * for the result.
 */
export function replyReturn(
  reply: FastifyReply,
  { relyingParty }: RouteContext,
  { locale, decided }: RedirectPrompt,
  state: string,
): FastifyReply {
  if (relyingParty === null) {
    const kind = decided?.state === 'approved' ? 'authenticated' : 'rejected';
    return sendPage(reply, endedPage({ locale, kind, simulation: true }));
  }
  const { returnUrl, returnMethod } = relyingParty;
  if (returnMethod === 'POST') {
    const page = handOverPage({ locale, action: returnUrl, fields: { state } });
    // Where the relying party leads the browser after that is its own affair.
    return sendPage(reply, page, 'any');
  }
  const address = new URL(returnUrl);
  address.searchParams.set('state', state);
  return leadTo(reply, address.href, locale);
}
