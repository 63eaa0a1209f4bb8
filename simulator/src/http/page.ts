import {
  contentSecurityPolicy,
  redirectHeader,
  redirectPage,
  type FormAction,
  type Locale,
  type Page,
} from '@miftah/pages';
import type { FastifyReply } from 'fastify';

/** @param formAction `self` for a page with a form of our own */
export function sendPage(
  reply: FastifyReply,
  { html, script }: Page,
  formAction: FormAction = 'none',
): FastifyReply {
  const policy = contentSecurityPolicy({ formAction, script });
  return reply
    .header('Content-Security-Policy', policy)
    .header('Referrer-Policy', 'no-referrer')
    .header('X-Content-Type-Options', 'nosniff')
    .type('text/html; charset=utf-8')
    .send(html);
}

/**
 * Leads the browser to the relying party. A form is answered with a page that redirects, because a
 * redirect of our own, and all that follow it, would be held to the policy of the form's page.
 */
export function leadTo(reply: FastifyReply, address: string, locale: Locale): FastifyReply {
  if (reply.request.method !== 'POST') return reply.redirect(address, 303);
  reply.header('Refresh', redirectHeader(address));
  return sendPage(reply, redirectPage({ locale, address }));
}
