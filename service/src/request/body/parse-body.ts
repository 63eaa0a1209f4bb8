import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { placeOfFault } from '@miftah/schema/json-place';
import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify';
import { BODY_EMPTY, breaksAt, tooDeep, tooManyMembers, type Note } from '../../errors/notes.ts';
import { Refusal } from '../../errors/refusal.ts';
import { pathsOfNonText } from '../../values/text.ts';
import { BODY_LIMITS } from '@miftah/contract';
import type { LateWork } from '../../server/listener.ts';
import { nonTextRefusal } from './validation.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly lateWork: LateWork;
  }
}

const BYTE_ORDER_MARK = '\ufeff';

/**
 * Accepts JSON only. JSON.parse makes `__proto__` an ordinary member, so the closed schemas refuse
 * it like any unknown member.
 */
export function acceptJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, bytes: Buffer) => {
      await turnOf(request);
      return parseJson(request, bytes);
    },
  );
  // Where Node made no stream (listener.ts), what stands in its place has ended already, and would be
  // waited for.
  app.addHook('preParsing', (request, _reply, payload, done) => {
    if (!request.raw.complete) late.add(request);
    // The framework's error: the routes of the simulator have error handlers of their own.
    if (isEncoded(request)) return done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE('encoded'));
    done(null, payload.readableEnded ? Readable.from([]) : payload);
  });
}

/** Requests whose body has not come with their head. */
const late = new WeakSet<FastifyRequest>();

/** Before a body is parsed: one that was waited for takes its turn among others that were. */
export function turnOf(request: FastifyRequest): Promise<void> | null {
  if (!late.has(request)) return null;
  return new Promise((resolve) => request.server.lateWork.do(resolve));
}

/**
 * Whether the body is compressed, which nothing here undoes: parsed as it is, it would be called
 * malformed JSON.
 */
export function isEncoded({ headers }: FastifyRequest): boolean {
  const { 'content-encoding': encoding = '', 'content-length': length = '0' } = headers;
  const hasBody = headers['transfer-encoding'] !== undefined || length !== '0';
  return hasBody && !/^(?:identity)?$/i.test(encoding);
}

function parseJson({ method }: FastifyRequest, bytes: Buffer): unknown {
  // Many clients send a content type with every request. No DELETE of ours has a body.
  if (bytes.length === 0 && method === 'DELETE') return undefined;
  // Decoding would silently replace bytes that are not UTF-8.
  if (!isUtf8(bytes)) throw new Refusal('request.malformed_json');
  const text = bytes.toString();
  // Some programs put a byte order mark in front. RFC 8259 section 8.1 lets a parser pass over it.
  const body = parseText(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  const note = excessOf(body);
  if (note !== null) throw new Refusal('request.too_complex', { note });
  requireText(text, body);
  return body;
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the body, which may contain a secret.
    if (text === '') throw new Refusal('request.malformed_json', { note: BODY_EMPTY });
    const place = placeOfFault(text);
    throw new Refusal('request.malformed_json', place === null ? {} : { note: breaksAt(place) });
  }
}

/**
 * Every string of a body is text (values/text.ts), whether or not it is stored today.
 * @param json the body as it was sent: what is no text can be in it only as an escape
 * @throws Refusal `validation.failed`
 */
function requireText(json: string, body: unknown): void {
  if (!json.includes(String.raw`\u`)) return;
  const paths = pathsOfNonText(body);
  if (paths.length > 0) throw nonTextRefusal(paths);
}

/** Goes level by level instead of recursively, so that a deep body can't exhaust the stack. */
function excessOf(body: unknown): Note | null {
  let level = [body].filter(isContainer);
  let keys = 0;
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > BODY_LIMITS.depth) return tooDeep(BODY_LIMITS.depth);
    const children = level.flatMap((container): unknown[] => Object.values(container));
    keys += children.length;
    if (keys > BODY_LIMITS.keys) return tooManyMembers(BODY_LIMITS.keys);
    level = children.filter(isContainer);
  }
  return null;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
