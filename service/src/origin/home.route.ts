import { homePage, MOST_SHOWN, type HomePage } from '@miftah/pages';
import type { Locale } from '../values/locale.ts';
import {
  BASE_PATH,
  baseUrl,
  type Endpoint,
  type HttpContext,
  type SimulatorContext,
} from '../request/context.ts';
import { curlLines } from './curl-lines.ts';
import { languageLinks, pageLocale } from '../request/answer/page-locale.ts';
import { sendPage } from '../request/answer/send-page.ts';
import { personCard } from '../attempt/sign-in/sign-in-page.route.ts';

/** GET /: the page for somebody who opens the service in a browser for the first time. */
export const home: Endpoint<SimulatorContext> = (app, context) => {
  app.route({
    method: 'GET',
    url: '/',
    config: { page: true },
    handler: async (request, reply) => {
      const people = context.services.simulation.people({ limit: MOST_SHOWN + 1 });
      const page = homePage({
        locale: pageLocale(request),
        languageLinks: languageLinks(request),
        baseUrl: baseUrl(context),
        mode: 'simulator',
        people: people.slice(0, MOST_SHOWN).map(personCard),
        hasMorePeople: people.length > MOST_SHOWN,
        links: linksOf(context, pageLocale(request)),
        trial: trialOf(context, pageLocale(request)),
        curl: linesOf(context, pageLocale(request)),
      });
      return sendPage(reply, page);
    },
  });
};

function linesOf(context: SimulatorContext, locale: Locale) {
  return curlLines({ base: baseUrl(context), nationalId: exampleNationalId(context), locale });
}

/** Null when the mode's rules have no trial, as in modes where applications need a key. */
function trialOf(context: SimulatorContext, locale: Locale): HomePage['trial'] {
  const { rules, simulation } = context.services;
  if (!rules.hasTrial) return null;
  const reserved = simulation.reserved();
  const nationalId = exampleNationalId(context);
  return { basePath: BASE_PATH, nationalId, reserved, ...placesOf(locale) };
}

export function linksOf({ settings }: HttpContext, locale: Locale): HomePage['links'] {
  const docs = settings.docs ? { docs: '/docs' } : {};
  const errors = `/errors?locale=${locale}`;
  return { ...docs, ...placesOf(locale), openapi: '/openapi.json', errors };
}

/** Pages of the simulator, which is on the same origin. */
function placesOf(locale: Locale) {
  return { phone: `/simulator/phone?locale=${locale}`, console: `/console?locale=${locale}` };
}

function exampleNationalId({ services }: SimulatorContext): string {
  const [first] = services.simulation.people({ limit: 1 });
  return first?.nationalId ?? '';
}
