import type { JsonPlace } from '@miftah/schema/json-place';
import process from 'node:process';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { SCOPE_LIMITS, type Scopes } from '../engine/scopes.ts';
import {
  BODY_LIMIT_BYTES,
  type BodyFault,
  bodyFaultOf,
  BrokenJson,
  IMPORT_LIMIT_BYTES,
  MOST_MEMBERS,
} from '../http/bodies.ts';
import { RepeatedMember } from '../http/repeated-member.ts';
import { InvalidRequest } from '../http/type-provider.ts';

// An `import` of node:http loads Node's fetch too, which is a tenth of a start.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

declare module 'fastify' {
  interface FastifyReply {
    /** The error that it answers with, for the log of the application around this API. */
    controlError?: ControlErrorCode;
  }
  interface FastifyContextConfig {
    /** What the operation takes, in sentences, for the errors of a request that is something else. */
    takes?: string;
    /** The errors of the operation, beside those of all operations. */
    refuses?: readonly ControlErrorCode[];
  }
}

interface Problem {
  readonly status: number;
  readonly message: string;
  /** What to do about it. */
  readonly remedy: string;
}

const LISTED = 'GET /simulator/openapi.json lists the operations.';

/** All errors of the control API; the codes are those of the service's catalogue. */
const ERRORS = {
  'request.malformed_json': {
    status: 400,
    message:
      `The request body is not valid JSON, or has a member __proto__, or more than ${MOST_MEMBERS} ` +
      'members in one place, or in a file two members with one name in one object.',
    remedy: 'Write the body with a JSON library.',
  },
  'simulator.token_required': {
    status: 401,
    message:
      'This simulator asks for its token, Authorization: Bearer SIMULATOR_TOKEN, or for the cookie ' +
      'of a session.',
    remedy: 'Send the token that the instance was started with.',
  },
  'session.code_refused': {
    status: 403,
    message: 'This code lets nobody in: a code is good once, for two minutes.',
    remedy: 'Whoever is in gets another one: POST /simulator/session-codes.',
  },
  'session.code_limit_reached': {
    status: 429,
    message: 'There were too many wrong codes, and this one is wrong too.',
    remedy: 'Wait for a minute.',
  },
  'simulator.foreign_origin': {
    status: 403,
    message: 'Only pages of the simulator itself may use this.',
    remedy: 'Open its own console. A program that is not a browser leaves out the Origin header.',
  },
  'route.not_found': {
    status: 404,
    message: 'There is nothing at this address.',
    remedy: LISTED,
  },
  'request.method_not_allowed': {
    status: 405,
    message: 'This method is not allowed here.',
    remedy: 'Use one of the methods in the Allow header of this answer.',
  },
  'attempt.not_found': {
    status: 404,
    message: 'There is no such attempt.',
    remedy: 'GET /simulator/attempts lists those of the scope.',
  },
  'attempts.elsewhere': {
    status: 409,
    message: 'Attempts are kept by the service that calls this simulator.',
    remedy:
      'Ask it for their status. Here only until=prompt can be waited for, and nothing can be ' +
      'started again.',
  },
  'prompt.not_found': {
    status: 404,
    message: 'There is no such prompt.',
    remedy: 'GET /simulator/prompts lists what waits in the scope.',
  },
  'people.not_found': {
    status: 404,
    message: 'There is no such person in this scope.',
    remedy: 'GET /simulator/people lists them.',
  },
  'people.default': {
    status: 409,
    message: 'The default person can’t be removed.',
    remedy: 'Make another one the default first: put them with "default": true.',
  },
  'scopes.full': {
    status: 409,
    message: 'There is no place for more that differs from the start.',
    remedy:
      'POST /simulator/reset, with the X-Miftah-Scope of a scope that is not needed any more, ' +
      'makes some.',
  },
  'next.full': {
    status: 409,
    message: 'This scope has 100 outcomes queued already.',
    remedy: 'Start attempts that take them, or empty the queue: DELETE /simulator/next.',
  },
  'openid.elsewhere': {
    status: 409,
    message: 'Here is no OpenID Provider that a test may change.',
    remedy:
      'It is that of a service with OPENID=on in simulator mode, and not in strict mode, or of ' +
      'startMiftah({ openid: true }) without strict. Elsewhere `miftah keys rotate --openid` changes keys.',
  },
  'openid.of_instance': {
    status: 409,
    message:
      'The endpoints of the OpenID Provider belong to the instance: they fail in every scope.',
    remedy: 'Set these faults without X-Miftah-Scope, when no other scope is in use.',
  },
  'clock.of_instance': {
    status: 409,
    message: 'The clock belongs to the instance: it is the same in every scope.',
    remedy: 'Move it without X-Miftah-Scope, when no other scope is in use.',
  },
  'clock.shared': {
    status: 409,
    message: 'With DATABASE_URL the time is the database’s, for all instances: it can’t be moved.',
    remedy: 'Without it the store is a file, and the time can be moved.',
  },
  'prompt.ended': {
    status: 409,
    message: 'The prompt has ended; its end is final.',
    remedy: 'Start another attempt.',
  },
  rate_limited: {
    status: 429,
    message:
      'There were too many starts from your address: one that is repeated counts as any other.',
    remedy: 'Wait as long as Retry-After says.',
  },
  'replay.refused': {
    status: 409,
    message: 'This sign-in can’t be started again.',
    remedy: 'Start one as its application does.',
  },
  'request.body_too_large': {
    status: 413,
    message:
      `The request body is too large: it has at most ${BODY_LIMIT_BYTES} bytes, ` +
      `a file to import ${IMPORT_LIMIT_BYTES}.`,
    remedy: 'Send only the members that the operation takes.',
  },
  'request.unsupported_media_type': {
    status: 415,
    message: 'The request body must be JSON, with Content-Type: application/json.',
    remedy: 'Send JSON, and that header.',
  },
  'request.misdirected': {
    status: 421,
    message: 'This host name is not one of mine.',
    remedy: 'See PUBLIC_URL and ALLOWED_HOSTS.',
  },
  'validation.failed': {
    status: 422,
    message: 'The request is not what this operation takes.',
    remedy: 'GET /simulator/openapi.json describes what each operation takes.',
  },
  'person.not_found': {
    status: 422,
    message: 'There is no such person.',
    remedy: 'GET /simulator/people lists them.',
  },
  'decision.not_applicable': {
    status: 422,
    message: 'A sign-in page shows no number that could be the wrong one.',
    remedy: 'Decide it otherwise, for example with refuse.',
  },
  'provider.unavailable': {
    status: 503,
    message:
      'A fault that is set (PUT /simulator/faults) has refused the exchange. The attempt waits.',
    remedy: 'Decide again.',
  },
  'stream.limit_reached': {
    status: 429,
    message: 'Too many pages watch this simulator.',
    remedy: 'Close some of them.',
  },
  'wait.limit_reached': {
    status: 429,
    message: 'Too many calls wait at this simulator.',
    remedy: 'End some of them, or ask again as Retry-After says.',
  },
  'server.error': {
    status: 500,
    message: 'Server Error',
    remedy: 'The log of this instance has the cause, with the request_id of this answer.',
  },
} as const satisfies Record<string, Problem>;

export type ControlErrorCode = keyof typeof ERRORS;

/** What is wrong with one member of a body: a JSON pointer (RFC 6901), and what is allowed there. */
interface Violation {
  readonly pointer: string;
  readonly message: string;
}

interface Details {
  /** What is allowed, where only the place of the error knows it; else the route says it. */
  readonly takes?: string;
  /** Of a path that has other methods. */
  readonly allow?: readonly string[];
  /** What is wrong, in sentences that begin with the place of a member, for example `/number: `. */
  readonly faults?: readonly string[];
}

/** `/national_id: must match ...` in its two parts; a fault of no member is one of the whole. */
function violationOf(fault: string): Violation {
  const [, pointer = '', message = fault] = /^\/(\S*): (.*)$/s.exec(fault) ?? [];
  return { pointer: pointer === '' ? '' : `/${pointer}`, message };
}

export class ControlError extends Error {
  readonly code: ControlErrorCode;
  readonly details: Details;

  constructor(code: ControlErrorCode, details: Details = {}) {
    super(ERRORS[code].message);
    this.name = 'ControlError';
    this.code = code;
    this.details = details;
  }
}

/** Those that come before the operation itself is reached. */
const OF_ALL = [
  'simulator.foreign_origin',
  'request.misdirected',
  'validation.failed',
  'server.error',
] as const satisfies readonly ControlErrorCode[];
const OF_BODIES = [
  'request.malformed_json',
  'request.body_too_large',
  'request.unsupported_media_type',
] as const satisfies readonly ControlErrorCode[];

/** Which errors an operation can have. */
interface Refusing {
  readonly asksForToken: boolean;
  readonly readsBody: boolean;
  readonly refuses?: readonly ControlErrorCode[] | undefined;
}

/** What each of them means, by status. */
export function controlErrors({ asksForToken, readsBody, refuses = [] }: Refusing) {
  const codes = new Set<ControlErrorCode>([
    ...(asksForToken ? (['simulator.token_required'] as const) : []),
    ...OF_ALL,
    ...(readsBody ? OF_BODIES : []),
    ...refuses,
  ]);
  const byStatus = Map.groupBy(codes, (code) => ERRORS[code].status);
  const meaning = (code: ControlErrorCode) =>
    `\`${code}\`: ${ERRORS[code].message} ${ERRORS[code].remedy}`;
  return new Map([...byStatus].map(([status, some]) => [status, some.map(meaning).join('\n\n')]));
}

/** The names of scopes can't be listed, so whoever has lost them needs to know the other way. */
export function scopesFull({ kept }: Scopes): ControlError {
  const says =
    `Scopes that keep something: ${kept}, of at most ${SCOPE_LIMITS.scopes}; at most ` +
    `${SCOPE_LIMITS.people} changed people in all. A restart of the instance drops it all.`;
  return new ControlError('scopes.full', { takes: says });
}

const BODY_FAULTS = {
  malformedBody: 'request.malformed_json',
  bodyTooLarge: 'request.body_too_large',
  unsupportedMediaType: 'request.unsupported_media_type',
} as const satisfies Record<BodyFault, ControlErrorCode>;

/** The errors that also say what the operation takes. */
const EXPLAINED: ReadonlySet<ControlErrorCode> = new Set([
  'validation.failed',
  'request.malformed_json',
  'request.unsupported_media_type',
  'scopes.full',
  'replay.refused',
  'route.not_found',
  'request.method_not_allowed',
]);

const REPEATED = 'must not stand twice';

/** The only place where an error of the control API becomes an answer. */
export function answerControlError(
  error: FastifyError | ControlError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const code = codeOf(error);
  reply.controlError = code;
  const { allow } = error instanceof ControlError ? error.details : {};
  if (allow !== undefined) reply.header('Allow', allow.join(', '));
  if (code === 'server.error') request.log.error(error);
  if (code === 'simulator.token_required') reply.header('WWW-Authenticate', 'Bearer');
  const { status, remedy } = ERRORS[code];
  const detail = sentencesOf(code, takesOf(error, request));
  const body = {
    // No page explains a code here, and then the title is that of the status (RFC 9457 section 4.2.1).
    type: 'about:blank',
    title: STATUS_CODES[status],
    status,
    detail,
    code,
    message: detail,
    remedy,
    // A member without a value is not sent.
    violations: violationsOf(error),
    request_id: request.id,
  };
  return reply.code(status).type('application/problem+json').send(body);
}

function sentencesOf(code: ControlErrorCode, takes: string | null): string {
  const { message } = ERRORS[code];
  return takes !== null && EXPLAINED.has(code) ? `${message} ${takes}` : message;
}

/** What a fault of no member is about, by the part of the request. */
const PARTS: Readonly<Record<string, string>> = { body: 'The body', querystring: 'The query' };

/** What is allowed: as the error says, or else as the operation does. */
function takesOf(error: FastifyError | ControlError, request: FastifyRequest): string | null {
  const ofError = error instanceof ControlError ? error.details.takes : undefined;
  const takes = ofError ?? request.routeOptions.config.takes ?? '';
  const whole = PARTS[error instanceof InvalidRequest ? error.part : 'body'] ?? 'The request';
  const faults = faultsOf(error).map((fault) => fault.replace(/^\/: /, `${whole} `));
  const told = faults.length === 0 ? takes : `${faults.join('; ')}. ${takes}`;
  return told === '' ? null : told;
}

const breaksAt = ({ line, column }: JsonPlace) => `It breaks at line ${line}, column ${column}`;

/** What is wrong, each with its place. */
function faultsOf(error: FastifyError | ControlError): readonly string[] {
  if (error instanceof RepeatedMember) return [`${error.pointer}: ${REPEATED}`];
  if (error instanceof BrokenJson) return [breaksAt(error.place)];
  if (error instanceof InvalidRequest) return error.faults;
  return error instanceof ControlError ? (error.details.faults ?? []) : [];
}

function violationsOf(error: FastifyError | ControlError): readonly Violation[] | undefined {
  const isOfBody = error instanceof InvalidRequest ? error.part === 'body' : true;
  const faults = isOfBody && !(error instanceof BrokenJson) ? faultsOf(error) : [];
  return faults.length === 0 ? undefined : faults.map(violationOf);
}

function codeOf(error: FastifyError | ControlError): ControlErrorCode {
  if (error instanceof ControlError) return error.code;
  if (error.validationContext !== undefined) return 'validation.failed';
  const fault = bodyFaultOf(error);
  return fault === null ? 'server.error' : BODY_FAULTS[fault];
}
