import type { Asset } from '@miftah/pages';
import type { FastifyReply } from 'fastify';

/** Sends a file whose name changes with its content, so that caches never ask for it again. */
export function sendAsset(reply: FastifyReply, asset: Asset): FastifyReply {
  return reply
    .header('Cache-Control', 'public, max-age=31536000, immutable')
    .header('X-Content-Type-Options', 'nosniff')
    .type(asset.contentType)
    .send(asset.read());
}
