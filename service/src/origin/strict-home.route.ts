import { strictHomePage } from '@miftah/pages';
import { baseUrl, type Endpoint } from '../request/context.ts';
import { languageLinks, pageLocale } from '../request/answer/page-locale.ts';
import { sendPage } from '../request/answer/send-page.ts';
import { linksOf } from './home.route.ts';

/** What whoever opens strict mode in a browser needs first. */
export interface StrictEntry {
  /** The key of the built-in client, which is public; null where a file names the clients. */
  readonly key: string | null;
  /** The commands of a login by phone; empty where they would need a secret. */
  readonly lines: readonly string[];
}

/** GET /: the page for somebody who opens strict mode in a browser. Nobody can sign in from it. */
export const strictHome =
  (entry: StrictEntry): Endpoint =>
  (app, context) => {
    app.route({
      method: 'GET',
      url: '/',
      config: { page: true },
      handler: async (request, reply) => {
        const locale = pageLocale(request);
        const frame = { locale, languageLinks: languageLinks(request) };
        const links = linksOf(context, locale);
        return sendPage(
          reply,
          strictHomePage({ ...frame, ...entry, baseUrl: baseUrl(context), links }),
        );
      },
    });
  };
