import type { FastifyReply } from 'fastify';
import { contentSecurityPolicy, type Page } from '@miftah/pages';

/** @param formAction the origins that a form of the page may lead to, including by a 303 answer */
export function sendPage(
  reply: FastifyReply,
  page: Page,
  formAction: readonly string[] = [],
): FastifyReply {
  return reply
    .header('content-security-policy', contentSecurityPolicy({ formAction, script: page.script }))
    .type('text/html; charset=utf-8')
    .send(page.html);
}
