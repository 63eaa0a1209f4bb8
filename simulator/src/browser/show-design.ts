import { designPage } from '@miftah/pages';
import { DEFAULT_SCOPE } from '../engine/scenario.ts';
import { sendPage } from '../http/page.ts';
import type { TypedApp } from '../http/type-provider.ts';
import { languageLinksOf, localeOf, PageQuery } from './page-query.ts';

const DESIGN_PATH = '/simulator/design';

/** GET /simulator/design: what the pages are made of, for those who change them. */
export function showDesign(app: TypedApp): void {
  const schema = { hide: true, querystring: PageQuery };
  app.get(DESIGN_PATH, { schema, exposeHeadRoute: false }, (request, reply) => {
    const languageLinks = languageLinksOf(DESIGN_PATH, DEFAULT_SCOPE);
    return sendPage(reply, designPage({ locale: localeOf(request), languageLinks }));
  });
}
