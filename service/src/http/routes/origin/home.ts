import { homePage } from '@miftah/pages';
import { baseUrl, type Endpoint, type SimulatorContext } from '../../context.ts';
import { curlLines } from '../../curl-lines.ts';
import { languageLinks, pageLocale } from '../../page-locale.ts';
import { sendPage } from '../../send-page.ts';
import { personCard } from '../sign-in-page.ts';

/** GET /: what a stranger sees who opens the service in a browser. */
export const home: Endpoint<SimulatorContext> = (app, context) => {
  app.route({
    method: 'GET',
    url: '/',
    config: { page: true },
    handler: async (request, reply) =>
      sendPage(
        reply,
        homePage({
          locale: pageLocale(request),
          languageLinks: languageLinks(request),
          baseUrl: baseUrl(context),
          mode: 'simulator',
          people: context.tools.simulation.people().map(personCard),
          links: { docs: '/docs', openapi: '/openapi.json', errors: '/errors' },
          curl: curlLines(baseUrl(context), exampleNationalId(context)),
        }),
      ),
  });
};

function exampleNationalId({ tools }: SimulatorContext): string {
  const [first] = tools.simulation.people();
  return first?.nationalId ?? '';
}
