import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  contentSecurityPolicy,
  redirectHeader,
  redirectPage,
  type FormAction,
  type Locale,
  type Page,
} from '@miftah/pages';

/** @param formAction `self` for a page with a form of our own */
export function sendPage(
  reply: FastifyReply,
  page: Page,
  formAction: FormAction = 'none',
): FastifyReply {
  return reply
    .header('content-security-policy', contentSecurityPolicy({ formAction, script: page.script }))
    .type('text/html; charset=utf-8')
    .send(page.html);
}

/**
 * Leads the browser to another address: to the provider, or back to the application. A form is
 * answered with a page that redirects, because a redirect of our own, and all that follow it, would
 * be held to the policy of the form's page. That may be the provider's.
 */
export function leadTo(
  request: FastifyRequest,
  reply: FastifyReply,
  address: string,
  locale: Locale,
): FastifyReply {
  if (request.method !== 'POST') return reply.redirect(address, 303);
  reply.header('refresh', redirectHeader(address));
  return sendPage(reply, redirectPage({ locale, address }));
}
