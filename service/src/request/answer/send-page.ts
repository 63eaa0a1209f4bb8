import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  applicationPage,
  applicationScheme,
  contentSecurityPolicy,
  redirectHeader,
  redirectPage,
  type FormAction,
  type Locale,
  type Localized,
  type Page,
} from '@miftah/pages';

/** @param formAction `self` for a page with a form of our own, or the scheme of an application */
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

/** The way back to an application. */
export interface WayBack {
  readonly address: string;
  /** The name of the application. */
  readonly application: Localized;
}

/**
 * Leads the browser back to the application. One on the device is opened by a link of a page;
 * programs read its address in `Location`, which browsers ignore without a redirect's status.
 */
export function leadBack(
  request: FastifyRequest,
  reply: FastifyReply,
  { address, application }: WayBack,
  locale: Locale,
): FastifyReply {
  const scheme = applicationScheme(address);
  if (scheme === null) return leadTo(request, reply, address, locale);
  reply.header('location', address);
  return sendPage(reply, applicationPage({ locale, address, application }), scheme);
}
