import { dashboardPage } from '@miftah/pages';
import { baseUrl, type Endpoint } from '../../context.ts';
import { languageLinks, pageLocale, queryText } from '../../page-locale.ts';
import { sendPage } from '../../send-page.ts';

/** GET /dashboard: where the browser goes after sign-in, until an application gives its own page. */
export const dashboard: Endpoint = (app, context) => {
  app.route({
    method: 'GET',
    url: '/dashboard',
    config: { page: true },
    handler: async (request, reply) => {
      const attemptId = queryText(request, 'attempt_id');
      const completionCode = queryText(request, 'completion_code');
      const page = dashboardPage({
        locale: pageLocale(request),
        baseUrl: baseUrl(context),
        languageLinks: languageLinks(request),
        ...(attemptId === '' ? {} : { attemptId }),
        ...(completionCode === '' ? {} : { completionCode }),
      });
      return sendPage(reply, page);
    },
  });
};
