import { ERROR_STATUS } from '@miftah/contract';
import { dashboardPage } from '@miftah/pages';
import { attemptAt, isCancelled, type Attempt } from '../attempt.ts';
import { checkReturn } from '../browser/check-return.flow.ts';
import { BASE_PATH, baseUrl, type Endpoint } from '../../request/context.ts';
import { languageLinks, pageLocale, queryText } from '../../request/answer/page-locale.ts';
import { sendPage } from '../../request/answer/send-page.ts';

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
      const now = context.clock.now();
      const { result, record } = await checkReturn(context.services, brought, now);
      const locale = pageLocale(request, record?.locale);
      const attempt = record === null ? null : attemptAt(record, now);
      const end = attempt === null ? null : endOf(attempt);
      if (end !== null) {
        return sendPage(reply, dashboardPage({ ...frame, locale, end, requestId: request.id }));
      }
      const trialBasePath = context.services.rules.hasTrial ? BASE_PATH : null;
      const isPending = attempt?.state === 'pending';
      const shown =
        result === 'accepted'
          ? { ...brought, isPending, trialBasePath }
          : { fault: result, requestId: request.id };
      return sendPage(reply.status(STATUS[result]), dashboardPage({ ...frame, locale, ...shown }));
    },
  });
};

/**
 * An error in the address is only a hint. The attempt's state decides, as it should in an
 * application.
 */
function endOf(attempt: Attempt): 'rejected' | 'cancelled' | 'expired' | 'failed' | null {
  if (isCancelled(attempt)) return 'cancelled';
  const { state } = attempt;
  return state === 'rejected' || state === 'expired' || state === 'failed' ? state : null;
}
