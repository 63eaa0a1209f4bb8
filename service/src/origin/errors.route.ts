import { ERROR_CODES, ERROR_STATUS, isErrorCode, type ErrorCode } from '@miftah/contract';
import { errorIndexPage, errorPage, type ErrorIndexPage } from '@miftah/pages';
import { nearestOf } from '@miftah/schema/nearest';
import { ERROR_GROUPS } from '../errors/groups.ts';
import { didYouMeanRoute } from '../errors/notes.ts';
import { Refusal } from '../errors/refusal.ts';
import { wordingOf } from '../errors/wording.ts';
import type { Locale } from '../values/locale.ts';
import type { Endpoint } from '../request/context.ts';
import { languageLinks, messageLocale, pageLocale } from '../request/answer/page-locale.ts';
import { placesOf } from '../request/answer/reply-error.ts';
import { prefersPage } from '../request/answer/prefers-page.ts';
import { sendPage } from '../request/answer/send-page.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** GET /errors and /errors/{code}: the addresses in `type` of an error, for people and programs. */
export const errorCatalogue: Endpoint = (app) => {
  app.route({
    method: 'GET',
    url: '/errors',
    config: { page: true },
    handler: (request, reply) => sendIndex(request, reply),
  });
  app.route<{ Params: { code: string } }>({
    method: 'GET',
    url: '/errors/:code',
    handler: async (request, reply) => {
      const { code } = request.params;
      if (isErrorCode(code)) return sendOne(code, request, reply);
      const near = nearestOf(code, ERROR_CODES) ?? begunBy(code);
      if (!prefersPage(request)) {
        const note = near === undefined ? {} : { note: didYouMeanRoute('GET', `/errors/${near}`) };
        throw new Refusal('route.not_found', note);
      }
      reply.refusedAs = 'route.not_found';
      const unknown = { isUnknown: true, near, requestId: request.id };
      return sendIndex(request, reply.status(ERROR_STATUS['route.not_found']), unknown);
    },
  });
};

/** The only code that begins with these words, where some at its end are missing. */
function begunBy(code: string): ErrorCode | undefined {
  const [first, ...others] = ERROR_CODES.filter((known) => /^[._]/.test(afterStart(known, code)));
  return others.length === 0 ? first : undefined;
}

const afterStart = (text: string, start: string) =>
  text.startsWith(start) ? text.slice(start.length) : '';

type Unknown = Pick<ErrorIndexPage, 'isUnknown' | 'near' | 'requestId'>;

async function sendIndex(request: FastifyRequest, reply: FastifyReply, unknown: Unknown = {}) {
  const locale = prefersPage(request) ? pageLocale(request) : messageLocale(request);
  const describeAll = (codes: readonly ErrorCode[]) => codes.map((code) => describe(code, locale));
  if (!prefersPage(request)) return { data: describeAll(ERROR_CODES) };
  const places = placesOf(request.server);
  const links = languageLinks(request);
  const groups = ERROR_GROUPS.map(({ name, title, codes }) => ({
    name,
    title: title[locale],
    errors: describeAll(codes),
  }));
  return sendPage(
    reply,
    errorIndexPage({ locale, groups, languageLinks: links, places, ...unknown }),
  );
}

function sendOne(code: ErrorCode, request: FastifyRequest, reply: FastifyReply) {
  if (!prefersPage(request)) return { data: describe(code, messageLocale(request)) };
  const locale = pageLocale(request);
  const error = describe(code, locale);
  const { cause: whatHappened, remedy: whatToDo } = error;
  const links = languageLinks(request);
  return sendPage(
    reply,
    errorPage({
      ...error,
      locale,
      whatHappened,
      whatToDo,
      languageLinks: links,
      places: placesOf(request.server),
    }),
  );
}

function describe(code: ErrorCode, locale: Locale) {
  const { title, message, cause, remedy } = wordingOf(code, locale);
  return { code, status: ERROR_STATUS[code], title, message, cause, remedy };
}
