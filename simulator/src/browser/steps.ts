/** Where a browser goes from each point of a sign-in. */
import { endedPage, handOverPage, type EndedKind } from '@miftah/pages';
import type { FastifyReply } from 'fastify';
import type { SignIn } from '../engine/engine.ts';
import type { Locale } from '../engine/locale.ts';
import type { RedirectPrompt } from '../engine/prompts.ts';
import { sendPage } from '../http/page.ts';
import type { Desk } from '../options.ts';

export const AUTHORIZE_PATH = '/authservice/authorize';

/** Why there is no way on: the status, and which page says it. */
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
  { relyingParty }: Desk,
  ending: keyof typeof ENDINGS,
  locale: Locale,
): FastifyReply {
  const [status, kind] = ENDINGS[ending];
  return sendPage(reply.code(status), endedPage({ locale, kind }), relyingParty);
}

/** A sign-in that is decided, here or by a script: on to the provider's own callback, or the end. */
export async function replyDecided(
  reply: FastifyReply,
  desk: Desk,
  { prompt, stage }: SignIn,
  { state, locale }: { state: string; locale: Locale },
): Promise<FastifyReply> {
  if (stage !== 'approved' && stage !== 'open') return replyEnded(reply, desk, stage, locale);
  const plan = desk.engine.pageToken(prompt);
  if (plan === null) return replyEnded(reply, desk, 'invalid', locale);
  const fields = { state, id_token: await desk.signer.sign(plan) };
  const action = desk.engine.settings.callbackUrl;
  return sendPage(reply, handOverPage({ locale, action, fields }), desk.relyingParty);
}

/** Back to the relying party, which learns nothing but the state: it has to ask what came of it. */
export function replyReturn(
  reply: FastifyReply,
  { relyingParty }: Desk,
  { locale, decided }: RedirectPrompt,
  state: string,
): FastifyReply {
  if (relyingParty === null) {
    const kind = decided?.state === 'approved' ? 'authenticated' : 'rejected';
    return sendPage(reply, endedPage({ locale, kind }), null);
  }
  const { returnUrl, returnMethod } = relyingParty;
  if (returnMethod === 'POST') {
    const page = handOverPage({ locale, action: returnUrl, fields: { state } });
    return sendPage(reply, page, relyingParty);
  }
  const address = new URL(returnUrl);
  address.searchParams.set('state', state);
  return reply.redirect(address.href, 303);
}
