import { contentSecurityPolicy, type Page } from '@miftah/pages';
import type { FastifyReply } from 'fastify';
import type { RelyingParty } from '../options.ts';

/**
 * Sends a page. Browsers apply the page's form-action policy to every redirect after a form, so it
 * also lists the relying party, and the origins that the relying party redirects to.
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
