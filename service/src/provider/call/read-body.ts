import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { JsonFault, parseStrictJson, type JsonLimits, type JsonValue } from '../strict-json.ts';

/** The largest answer of the provider that is accepted, after decoding. */
const ANSWER_BYTES = 256 * 1024;
const ANSWER_JSON: JsonLimits = { depth: 8, items: 512 };

export type BodyFault = 'too_large' | 'encoding' | 'not_json' | 'malformed';

export type Body =
  | { readonly kind: 'json'; readonly value: JsonValue }
  /** A gateway answers with a few words of text. They are used only to name the cause. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'fault'; readonly fault: BodyFault };

export interface BodyHeaders {
  readonly contentType: string;
  readonly contentEncoding: string;
}

const JSON_TYPE = /^application\/(?:json|(?:problem|jwk-set)\+json)[ \t]*(?:;|$)/i;
const GZIP = /^(?:x-)?gzip$/i;
const UNPACKED = /^(?:identity)?$/i;

/**
 * Reads a body up to its limit. If more follows, the stream and its connection are destroyed.
 * @throws the stream's error
 */
export async function readBody(stream: Readable, headers: BodyHeaders): Promise<Body> {
  const encoding = headers.contentEncoding.trim();
  const isGzip = GZIP.test(encoding);
  const bytes = await readBytes(stream, isGzip);
  if (!(bytes instanceof Uint8Array)) return { kind: 'fault', fault: bytes };
  if (!isGzip && !UNPACKED.test(encoding)) return { kind: 'fault', fault: 'encoding' };
  return parseBody(bytes, JSON_TYPE.test(headers.contentType));
}

class TooLarge extends Error {}

async function readBytes(stream: Readable, isGzip: boolean): Promise<Uint8Array | BodyFault> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const collect = async (source: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const chunk of source) {
      size += chunk.length;
      if (size > ANSWER_BYTES) throw new TooLarge();
      chunks.push(chunk);
    }
  };
  try {
    if (isGzip) await pipeline(stream, createGunzip(), collect);
    else await pipeline(stream, collect);
    return Buffer.concat(chunks);
  } catch (error) {
    if (error instanceof TooLarge) return 'too_large';
    if (isGzip && isDecodingError(error)) return 'encoding';
    throw error;
  }
}

function isDecodingError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}

function parseBody(bytes: Uint8Array, isJson: boolean): Body {
  const text = decode(bytes);
  if (text === null) return { kind: 'fault', fault: isJson ? 'malformed' : 'not_json' };
  if (!isJson) return { kind: 'text', text };
  try {
    return { kind: 'json', value: parseStrictJson(text, ANSWER_JSON) };
  } catch (error) {
    if (error instanceof JsonFault) return { kind: 'fault', fault: 'malformed' };
    throw error;
  }
}

/** Null if the bytes are not UTF-8: replacement characters could make two different names equal. */
function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
