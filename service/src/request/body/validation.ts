/**
 * What a request sends: a body is parsed as JSON within limits, and what a schema says of body, path
 * and query becomes one refusal that names each member. Forms are in `forms.ts`.
 */
import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { BODY_LIMITS } from '@miftah/contract';
import { WHOLE_NUMBER, wholeNumberRange } from '@miftah/schema';
import { lazyValidators, type Validate } from '@miftah/schema/compilers';
import { placeOfFault } from '@miftah/schema/json-place';
import { likeliestFaults, membersIn, namesOfMembers } from '@miftah/schema/likeliest-faults';
import { nearestOf } from '@miftah/schema/nearest';
import {
  errorCodes,
  type FastifyInstance,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify';
import {
  BODY_EMPTY,
  breaksAt,
  knownMembers,
  type Note,
  tooDeep,
  tooManyMembers,
  wholeNumber,
} from '../../errors/notes.ts';
import { Refusal, type FieldFault, type FieldRule } from '../../errors/refusal.ts';
import type { LateWork } from '../../server/listener.ts';
import { type Path, pathsOfNonText } from '../../values/text.ts';

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

type Faults = Parameters<NonNullable<FastifyServerOptions['schemaErrorFormatter']>>[0];
type Fault = Faults[number];

/**
 * Ajv must check without changing anything. Fastify's defaults remove unknown members and convert
 * types, which would turn an invalid phone start into a valid redirect start.
 */
export const AJV_OPTIONS = {
  removeAdditional: false,
  coerceTypes: false,
  useDefaults: false,
  allErrors: true,
  // Errors then contain the schema, whose members have an order.
  verbose: true,
  // In these schemas `format` only describes answers; requests are checked by patterns and domain
  // parsers.
  validateFormats: false,
  // The schemas are ours, and tests check them. Compiling the meta-schema is a tenth of a start.
  validateSchema: false,
  // For the document alone.
  keywords: [WHOLE_NUMBER],
};

const compiled = lazyValidators(AJV_OPTIONS);

/** The validator of a part of a request, for the framework. */
export const validatorOf: typeof compiled = (route: { schema: unknown; httpPart?: string }) => {
  const validate = compiled(route);
  return route.httpPart === 'querystring' ? refusingMisspelt(validate, route.schema) : validate;
};

/**
 * A query may have members of others, such as one that keeps an answer out of caches, so unknown ones
 * are passed over. One that is nearly a member of ours is refused: it would be without effect.
 */
function refusingMisspelt(validate: Validate, schema: unknown): Validate {
  const parentSchema = typeof schema === 'object' && schema !== null ? schema : {};
  const names = namesOfMembers(parentSchema);
  const check: Validate = (query) => {
    const isValid = validate(query);
    const misspelt = Object.keys(query ?? {}).filter(
      (name) => nearestOf(name, names) !== undefined,
    );
    const found = misspelt.map((additionalProperty) => ({
      keyword: 'additionalProperties',
      instancePath: '',
      schemaPath: '#/additionalProperties',
      params: { additionalProperty },
      parentSchema,
    }));
    check.errors = [...(isValid ? [] : (validate.errors ?? [])), ...found];
    return check.errors.length === 0;
  };
  return check;
}

/** The whole body, in a `FieldFault`. */
const BODY = 'body';

const RULES: Readonly<Record<string, FieldRule>> = {
  required: 'required',
  additionalProperties: 'unknown',
  type: 'type',
  enum: 'format',
  pattern: 'format',
  maxLength: 'too_long',
  minLength: 'too_short',
};

/** Turns Ajv's errors into one refusal that names each member once. @param part of the request */
export function validationRefusal(found: Faults, part = 'body'): Refusal {
  const faults = new Map<string, FieldFault>();
  const members = membersIn(found);
  for (const fault of inSchemaOrder(likeliestFaults(found))) {
    const ofQuery = part === 'querystring' ? ({ isOfQuery: true } as const) : {};
    const fieldFault = { ...toFieldFault(fault), ...nearOf(fault, members), ...ofQuery };
    if (!faults.has(fieldFault.pointer)) faults.set(fieldFault.pointer, fieldFault);
  }
  return new Refusal('validation.failed', { faults: misspeltFirst([...faults.values()]) });
}

/** A member that is missing because its name is misspelt is told after the one that was sent. */
function misspeltFirst(faults: readonly FieldFault[]): readonly FieldFault[] {
  const isMissing = ({ near }: FieldFault) =>
    near !== undefined && faults.some(({ field, rule }) => rule === 'required' && field === near);
  return [...faults.filter(isMissing), ...faults.filter((fault) => !isMissing(fault))];
}

/** A refusal for one member that no schema can check: a header, or a rule of the domain. */
export function fieldRefusal(
  field: string,
  rule: FieldRule,
  more: Partial<Pick<FieldFault, 'pointer' | 'expected'>> = {},
): Refusal {
  return new Refusal('validation.failed', { faults: [{ field, pointer: '', rule, ...more }] });
}

/** A refusal for strings of a body that are no text. */
export function nonTextRefusal(paths: readonly Path[]): Refusal {
  const faults = paths.map((path): FieldFault => {
    const pointer = path.map((name) => `/${encodeSegment(name)}`).join('');
    return { field: path.at(-1) ?? BODY, pointer, rule: 'text' };
  });
  return new Refusal('validation.failed', { faults });
}

/**
 * Ajv reports missing and unknown members before errors inside members. Callers read by the schema,
 * so the errors are put in the order of its members, those for unknown members last.
 */
function inSchemaOrder(found: readonly Fault[]): readonly Fault[] {
  const ranks = new Map<string, number>();
  for (const name of found.flatMap((fault) => namesOfMembers(schemaOf(fault)))) {
    if (!ranks.has(name)) ranks.set(name, ranks.size);
  }
  const rankOf = (fault: Fault) => ranks.get(toFieldFault(fault).field) ?? ranks.size;
  return found
    .map((fault) => ({ fault, rank: rankOf(fault) }))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ fault }) => fault);
}

function toFieldFault(fault: Fault): FieldFault {
  const pointer = fault.instancePath + ownMember(fault);
  if (pointer === '') return { field: BODY, pointer, rule: 'object' };
  const field = decodeSegment(pointer.slice(pointer.lastIndexOf('/') + 1));
  const rule = RULES[fault.keyword] ?? 'format';
  const range = rule === 'format' ? wholeNumberRange(schemaOf(fault)) : null;
  return { field, pointer, rule, ...(range === null ? {} : { expected: wholeNumber(range) }) };
}

/** With the option `verbose`. */
function schemaOf(fault: Fault): object | undefined {
  const schema: unknown = Reflect.get(fault, 'parentSchema');
  return typeof schema === 'object' && schema !== null ? schema : undefined;
}

const MOST_KNOWN = 10;

/** The member that was meant by an unknown one, in whichever form of the body, or else all of them. */
function nearOf(
  { params, instancePath }: Fault,
  members: ReturnType<typeof membersIn>,
): Pick<FieldFault, 'near' | 'expected'> {
  const name = params['additionalProperty'];
  if (typeof name !== 'string') return {};
  const known = members(instancePath);
  const near = nearestOf(name, known);
  if (near !== undefined) return { near };
  const canList = known.length > 0 && known.length <= MOST_KNOWN;
  return canList ? { expected: knownMembers(known) } : {};
}

/** The member's name if Ajv reports the error at the parent: for missing and unknown members. */
function ownMember({ params }: Fault): string {
  const name = params['missingProperty'] ?? params['additionalProperty'];
  return typeof name === 'string' ? `/${encodeSegment(name)}` : '';
}

/** RFC 6901 section 3. */
function encodeSegment(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function decodeSegment(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}
