import type { HttpContext } from '../context.ts';

/** The headers of every answer. Pages replace the content security policy by their own. */
export function commonHeaders({ settings }: HttpContext, requestId: string) {
  return {
    'x-request-id': requestId,
    'x-auth-mode': settings.mode,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  };
}
