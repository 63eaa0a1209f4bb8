import type { FastifyReply } from 'fastify';
import { contentSecurityPolicy, type Page } from '@miftah/pages';

/** `formAction` lists the other origins that a form of the page may lead to, by a 303 included. */
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
