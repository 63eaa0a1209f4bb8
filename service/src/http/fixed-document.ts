import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpContext } from './context.ts';

/**
 * An answer that is the same for everybody. The bytes are made once and shared: a connection whose
 * client does not read refers to them, where a text would be encoded anew for each.
 */
export interface FixedDocument {
  readonly bytes: Buffer;
  /** RFC 9110 section 8.8.3: changes with the bytes. */
  readonly tag: string;
}

/**
 * How much of an answer goes out in one turn of the event loop. The system would take megabytes at
 * once, and copy them for one client after the other while all others wait.
 */
const PIECE_BYTES = 64 * 1024;

export function fixedDocument(content: string | Buffer): FixedDocument {
  const bytes = Buffer.from(content);
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return { bytes, tag: `"${digest}"` };
}

/** Caches keep it and ask each time whether it is still the same; then 304 says so. */
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

/** Waits while the client does not read, as every stream does. */
async function* inPieces(bytes: Buffer, nextTurn: () => Promise<void>): AsyncGenerator<Buffer> {
  for (let sent = 0; sent < bytes.length; sent += PIECE_BYTES) {
    await nextTurn();
    yield bytes.subarray(sent, sent + PIECE_BYTES);
  }
}
