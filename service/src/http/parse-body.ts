import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../domain/errors/refusal.ts';
import { BODY_LIMITS } from '../domain/limits.ts';

/**
 * JSON and nothing else. A `__proto__` member stays an ordinary unknown member here (JSON.parse
 * makes it one), and is refused by the closed schemas like any other.
 */
export function acceptJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, bytes: Buffer) => parseJson(request, bytes),
  );
}

function parseJson({ method }: FastifyRequest, bytes: Buffer): unknown {
  // Many clients send the header with every request; no operation of ours deletes by a body.
  if (bytes.length === 0 && method === 'DELETE') return undefined;
  // Decoding would put replacement characters in the place of what is not UTF-8, in silence.
  if (!isUtf8(bytes)) throw new Refusal('request.malformed_json');
  const body = parseText(bytes.toString());
  if (isTooComplex(body)) throw new Refusal('request.too_complex');
  return body;
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, which may hold a secret.
    throw new Refusal('request.malformed_json');
  }
}

/** Walks level by level, so that a deep body can't exhaust the stack. */
function isTooComplex(body: unknown): boolean {
  let level = [body].filter(isContainer);
  let keys = 0;
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > BODY_LIMITS.depth) return true;
    const children = level.flatMap((container): unknown[] => Object.values(container));
    keys += children.length;
    if (keys > BODY_LIMITS.keys) return true;
    level = children.filter(isContainer);
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
