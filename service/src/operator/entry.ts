import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  OPERATOR,
  OPERATOR_FORMS,
  operatorFaultPage,
  operatorLinkPage,
} from '@miftah/pages/operator';
import { languageLinks, pageLocale } from '../request/answer/page-locale.ts';
import { sendPage } from '../request/answer/send-page.ts';
import { textMember } from '../request/body/text-member.ts';
import type { OperatorContext } from './operator-context.ts';
import { endSession, makeLink, redeemLink } from './sessions.ts';
import { addSignIn } from './sign-in.ts';
import { addVisit, OperatorRefusal, requireOwnOrigin, setCookie } from './visit.ts';

/**
 * A link is a path: a page without scripts can't read a fragment. It is in the history of the
 * browser, where it is of no use any more, and in no log of ours.
 */
const LINK = `${OPERATOR_FORMS.link}/:secret`;

/** A link that signs in once, for whoever may run commands beside the service. */
export async function linkAddress(
  url: string,
  ...given: Parameters<typeof makeLink>
): Promise<string> {
  const secret = await makeLink(...given);
  return `${url}${OPERATOR_FORMS.link}/${secret.reveal()}`;
}

/** Into a session and out of it. */
export function addEntry(app: FastifyInstance, context: OperatorContext): void {
  if (context.people === null) addLinks(app, context);
  else addSignIn(app, context, context.people);
  addVisit(
    app,
    context,
    { method: 'POST', url: OPERATOR_FORMS.signOut, role: 'viewer' },
    async ({ reply, request, session, cookie, now, frame: { locale } }) => {
      await endSession(context.store, cookie, session, now);
      setCookie(reply, context.url, 'miftah_operator', null);
      const page = { locale, fault: 'signed_out', requestId: request.id } as const;
      return sendPage(reply, operatorFaultPage({ ...page, entry: entryOf(context) }));
    },
  );
}

/** How a session begins, for pages that say that there is none. */
export const entryOf = ({ people }: OperatorContext) => (people === null ? 'link' : 'provider');

function addLinks(app: FastifyInstance, context: OperatorContext): void {
  // The same page for every link, and nothing is looked up: previews of links redeem none.
  app.route({
    method: 'GET',
    url: LINK,
    handler: async (request, reply) => {
      const page = operatorLinkPage({
        locale: pageLocale(request),
        languageLinks: languageLinks(request),
        action: `${OPERATOR_FORMS.link}/${encodeURIComponent(secretOf(request))}`,
      });
      return sendPage(reply, page, 'self');
    },
  });
  app.route({
    method: 'POST',
    url: LINK,
    handler: async (request, reply) => {
      requireOwnOrigin(context, request);
      const session = await redeemLink(context, secretOf(request), context.clock.now());
      if (session === null) throw new OperatorRefusal('link_spent');
      setCookie(reply, context.url, 'miftah_operator', session);
      return reply.redirect(`${OPERATOR}?locale=${pageLocale(request)}`, 303);
    },
  });
}

const secretOf = ({ params }: FastifyRequest): string => textMember(params, 'secret');
