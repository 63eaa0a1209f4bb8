import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpContext } from '../request/context.ts';

/**
 * An answer that is the same for everybody. All connections share its bytes, including those of
 * slow clients; a text would be encoded again for each connection.
 */
export interface FixedDocument {
  readonly bytes: Buffer;
  /** The ETag (RFC 9110 section 8.8.3): changes when the bytes change. */
  readonly tag: string;
}

/**
 * How many bytes of an answer are sent per turn of the event loop. The operating system would take
 * megabytes at once, and copying them for one client makes all others wait.
 */
const PIECE_BYTES = 64 * 1024;

export function fixedDocument(content: string | Buffer): FixedDocument {
  const bytes = Buffer.from(content);
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return { bytes, tag: `"${digest}"` };
}

/**
 * Caches may store the answer but must revalidate it each time; an unchanged one is answered 304.
 */
export function sendFixed(
  { nextTurn }: HttpContext,
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { bytes, tag }: FixedDocument,
): FastifyReply {
  reply.header('cache-control', 'public, no-cache').header('etag', tag);
  if (headers['if-none-match'] === tag) return reply.status(304).send();
  return reply
    .header('content-length', bytes.length)
    .send(Readable.from(inPieces(bytes, nextTurn)));
}

/**
 * Produces the next piece only when the stream asks for it, so a client that does not read stops
 * it.
 */
async function* inPieces(bytes: Buffer, nextTurn: () => Promise<void>): AsyncGenerator<Buffer> {
  for (let sent = 0; sent < bytes.length; sent += PIECE_BYTES) {
    await nextTurn();
    yield bytes.subarray(sent, sent + PIECE_BYTES);
  }
}
