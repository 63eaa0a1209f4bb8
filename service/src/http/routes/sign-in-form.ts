import type { FastifyRequest } from 'fastify';
import { RATE_POLICIES } from '../../domain/limits.ts';
import { parseLocale } from '../../domain/locale.ts';
import type { ErrorCode } from '../../domain/errors/catalogue.ts';
import { Refusal } from '../../domain/errors/refusal.ts';
import type { Ms } from '../../domain/time.ts';
import { decideSignIn, openSignIn, type SignedIn } from '../../flow/browser/sign-in.ts';
import type { Endpoint, SimulatorContext } from '../context.ts';
import { refuseCrossSite, routeWithForm } from '../forms.ts';
import { limitByAddress } from '../limit-rate.ts';
import { queryText } from '../page-locale.ts';
import { SignInForm } from '../page-forms.ts';
import { DASHBOARD_PATH } from './origin/dashboard.ts';
import { addressWith, sendEnded, wayBack } from './sign-in-page.ts';

/** POST /callback/sign-in: what the person chose on the sign-in page. Simulator mode only. */
export const signInForm: Endpoint<SimulatorContext> = (app, context) => {
  const countByAddress = limitByAddress(context, RATE_POLICIES.signIn);
  routeWithForm<{ Body: SignInForm }>(app, {
    method: 'POST',
    url: '/callback/sign-in',
    config: { page: true },
    schema: { body: SignInForm },
    onRequest: [refuseCrossSite(context), ...countByAddress],
    handler: async (request, reply) => {
      const now = context.clock.now();
      const { attempt, completionCode } = await decide(context, request.body, now);
      const address =
        completionCode === null
          ? wayBack(context, attempt)
          : addressWith(context, attempt, { completion_code: completionCode.reveal() });
      if (address === null) return sendEnded(context, request, reply, attempt);
      return reply.redirect(inChosenLanguage(context, request, address), 303);
    },
  });
};

const TOO_LATE: ReadonlySet<ErrorCode> = new Set(['attempt.expired', 'attempt.rejected']);

/**
 * A person who is too late, or refused in another tab, is sent back like one who refuses here.
 * @throws Refusal
 */
async function decide(
  { services }: SimulatorContext,
  { state, person, decision }: SignInForm,
  now: Ms,
): Promise<SignedIn> {
  const choice = { attemptId: state, decision, personId: person ?? null };
  try {
    return await decideSignIn(services, choice, now);
  } catch (error) {
    if (!(error instanceof Refusal) || !TOO_LATE.has(error.code)) throw error;
    return { attempt: await openSignIn(services, state, now), completionCode: null };
  }
}

/**
 * Adds the chosen language if the address is our own dashboard; applications do not know the
 * parameter.
 */
function inChosenLanguage(
  { settings }: SimulatorContext,
  request: FastifyRequest,
  address: string,
): string {
  const chosen = parseLocale(queryText(request, 'locale'));
  const url = new URL(address);
  const isOwn = url.origin === settings.publicUrl && url.pathname === DASHBOARD_PATH;
  if (chosen === null || !isOwn) return address;
  url.searchParams.set('locale', chosen);
  return url.href;
}
