import { placeOfFault, type JsonPlace } from '@miftah/schema/json-place';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { limitMembers } from './member-limit.ts';
import { refuseRepeatedMembers } from './repeated-member.ts';

/** Far more than any valid request needs; a larger body is a mistake or an attack. */
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
