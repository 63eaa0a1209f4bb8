/** Bodies of requests, JSON or forms: how they are read, within which limits, and what is wrong with one. */
import { placeOfFault, type JsonPlace } from '@miftah/schema/json-place';
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify';
import { refuseRepeatedMembers } from './repeated-member.ts';

/** Far more than any valid request needs: a larger body is a mistake or an attack. Of JSON and of forms. */
export const BODY_LIMIT_BYTES = 16 * 1024;

/** Of a time line that is imported. */
export const IMPORT_LIMIT_BYTES = 1024 * 1024;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Takes a file with lists as long as its schema allows; its route has a limit of its own. */
    isFile?: boolean;
  }
}

/**
 * Accepts JSON only, even if the application around this plugin accepts forms. A `__proto__` member
 * is refused, not dropped.
 */
export function acceptOnlyJson(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  const parse = scope.getDefaultJsonParser('error', 'error');
  scope.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: BODY_LIMIT_BYTES },
    (request: FastifyRequest, text: string, done) => {
      const { isFile = false } = request.routeOptions.config;
      const check = isFile ? () => refuseRepeatedMembers(text) : limitMembers;
      void parse(request, text, checked(check, withPlace(text, done)));
    },
  );
}

/** Its code distinguishes it from an error of the program. */
export class BrokenJson extends Error {
  readonly code = 'FST_ERR_CTP_INVALID_JSON_BODY';
  readonly statusCode = 400;
  readonly place: JsonPlace;

  constructor(place: JsonPlace) {
    super('the body is no JSON');
    this.name = 'BrokenJson';
    this.place = place;
  }
}

/** A member `__proto__` is refused in JSON that is whole. */
function withPlace(text: string, done: Done): Done {
  return (error, body) => {
    const place = error === null || text === '' ? null : placeOfFault(text);
    done(place === null ? error : new BrokenJson(place), body);
  };
}

type Done = (error: Error | null, body?: unknown) => void;

/** @param check throws what is wrong with a body that is JSON */
function checked(check: (body: unknown) => void, done: Done): Done {
  return (error, body) => {
    try {
      if (error === null) check(body);
      done(error, body);
    } catch (fault) {
      done(fault instanceof Error ? fault : new Error('not checked'));
    }
  };
}

/** Accepts only forms, the only bodies that the pages send. A repeated field is refused. */
export function acceptOnlyForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: BODY_LIMIT_BYTES },
    async (_request: FastifyRequest, body: string) =>
      fieldsOf(new URLSearchParams(limitFields(body))),
  );
}

/** A repeated field becomes a list, which no form's schema accepts. */
function fieldsOf(parameters: URLSearchParams): Readonly<Record<string, unknown>> {
  const names = [...new Set(parameters.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const values = parameters.getAll(name);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

/** More than any valid request has. Checking thousands of members would take too long. */
export const MOST_MEMBERS = 32;

/** Its code distinguishes it from an error of the program. */
class TooManyMembers extends Error {
  readonly code = 'FST_ERR_CTP_TOO_MANY_MEMBERS';
  readonly statusCode = 400;

  constructor() {
    super(`a body has at most ${MOST_MEMBERS} members`);
    this.name = 'TooManyMembers';
  }
}

/** @throws TooManyMembers before the form is parsed */
function limitFields(form: string): string {
  if (form.split('&', MOST_MEMBERS + 1).length > MOST_MEMBERS) throw new TooManyMembers();
  return form;
}

/** Checks each object and list separately; the schemas limit the depth. @throws TooManyMembers */
function limitMembers(body: unknown): void {
  const waiting = [body];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const members: unknown[] = Object.values(value);
    if (members.length > MOST_MEMBERS) throw new TooManyMembers();
    waiting.push(...members);
  }
}

export type BodyFault = 'malformedBody' | 'bodyTooLarge' | 'unsupportedMediaType';

const FAULTS: Readonly<Record<number, BodyFault>> = {
  400: 'malformedBody',
  413: 'bodyTooLarge',
  415: 'unsupportedMediaType',
};

/** Of a connection that ended in the middle of a body. Nobody gets the answer. */
const BROKEN_OFF = 'ECONNRESET';

/** The error that Fastify found in a body before its schema was checked; null for other errors. */
export function bodyFaultOf({ code, statusCode }: FastifyError): BodyFault | null {
  if (code === BROKEN_OFF) return 'malformedBody';
  const fromBody = typeof code === 'string' && code.startsWith('FST_ERR_CTP_');
  return fromBody ? (FAULTS[statusCode ?? 0] ?? null) : null;
}
