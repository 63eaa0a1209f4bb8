import { contentSecurityPolicy, type Page } from '@miftah/pages';
import type { FastifyReply } from 'fastify';
import type { RelyingParty } from '../options.ts';

/**
 * Sends a page. Browsers hold every redirect that follows a form to the policy of the page with the
 * form, so that names the relying party too, and wherever that sends the browser on to.
 */
export function sendPage(
  reply: FastifyReply,
  { html, script }: Page,
  relyingParty: RelyingParty | null,
): FastifyReply {
  const { returnUrl, onwardOrigins = [] } = relyingParty ?? {};
  const beyond = returnUrl === undefined ? [] : [returnUrl, ...onwardOrigins];
  const policy = contentSecurityPolicy({ formAction: ['self', ...beyond], script });
  return reply
    .header('Content-Security-Policy', policy)
    .header('Referrer-Policy', 'no-referrer')
    .header('X-Content-Type-Options', 'nosniff')
    .type('text/html; charset=utf-8')
    .send(html);
}
