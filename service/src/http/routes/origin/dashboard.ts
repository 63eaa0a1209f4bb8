import { ERROR_STATUS } from '@miftah/contract';
import { dashboardPage, endedPage } from '@miftah/pages';
import { attemptAt, type AttemptRecord } from '../../../domain/attempt.ts';
import type { Ms } from '../../../domain/time.ts';
import { checkReturn } from '../../../flow/browser/check-return.ts';
import { BASE_PATH, baseUrl, type Endpoint } from '../../context.ts';
import { languageLinks, pageLocale, queryText } from '../../page-locale.ts';
import { sendPage } from '../../send-page.ts';

export const DASHBOARD_PATH = '/dashboard';

const STATUS = {
  accepted: 200,
  unknown_attempt: ERROR_STATUS['attempt.not_found'],
  unknown_code: ERROR_STATUS['attempt.completion_required'],
} as const;

/** GET /dashboard: the page after the sign-in, until an application sets its own. */
export const dashboard: Endpoint = (app, context) => {
  app.route({
    method: 'GET',
    url: DASHBOARD_PATH,
    config: { page: true },
    handler: async (request, reply) => {
      const attemptId = queryText(request, 'attempt_id');
      const completionCode = queryText(request, 'completion_code');
      const frame = { baseUrl: baseUrl(context), languageLinks: languageLinks(request) };
      if (attemptId === '') {
        return sendPage(reply, dashboardPage({ ...frame, locale: pageLocale(request) }));
      }
      const brought = { attemptId, completionCode };
      const { result, record } = await checkReturn(context.services, brought, context.clock.now());
      const locale = pageLocale(request, record?.locale);
      const end = queryText(request, 'error') === '' ? null : endOf(record, context.clock.now());
      if (end !== null) {
        const { languageLinks: links } = frame;
        return sendPage(reply, endedPage({ locale, kind: end, languageLinks: links }));
      }
      const trialBasePath = context.services.rules.hasTrial ? BASE_PATH : null;
      const shown = result === 'accepted' ? { ...brought, trialBasePath } : { fault: result };
      return sendPage(reply.status(STATUS[result]), dashboardPage({ ...frame, locale, ...shown }));
    },
  });
};

/**
 * The error in the address is only a hint; the attempt's state decides, as it should in an
 * application.
 */
function endOf(record: AttemptRecord | null, at: Ms): 'rejected' | 'expired' | 'failed' | null {
  const state = record === null ? null : attemptAt(record, at).state;
  return state === 'rejected' || state === 'expired' || state === 'failed' ? state : null;
}
