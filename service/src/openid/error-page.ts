import { contentSecurityPolicy, endedPage, type ErrorPlace } from '@miftah/pages';
import { OIDCProviderError } from 'oidc-provider/lib/helpers/errors.js';
import type { Context } from 'oidc-provider/lib/provider.js';
import { DEFAULT_LOCALE, parseLocale, preferredLocale, type Locale } from '../values/locale.ts';
import { textMember } from '../request/body/text-member.ts';

/** OpenID Connect Discovery 1.0, and RP-Initiated Logout 1.0, below the origin. */
export const DISCOVERY_PATH = '/.well-known/openid-configuration';
export const LOGOUT_PATH = '/openid/logout';

/** In simulator mode these pages are beside those of the face. */
export const SIMULATOR_PLACES: readonly ErrorPlace[] = ['home', 'console'];

type Tell = (context: Context, error: OIDCProviderError) => string;

/**
 * The page for a request that can't be led back to its application: the address would be one that
 * nobody has registered. It shows nothing of the request, but where its reader is the developer.
 * @param tell the reason, for that reader; null where people are real
 * @param again the paths at which a request has the same answer in another language
 */
export function renderError(tell: Tell | null, again: readonly string[]) {
  return (context: Context, _out: unknown, error: unknown): void => {
    const page = endedPage({
      locale: localeOf(context),
      kind: context.path.startsWith(LOGOUT_PATH) ? 'not_signed_out' : 'application',
      // What is no refusal is logged with its own stack.
      reason: error instanceof OIDCProviderError ? (tell?.(context, error) ?? null) : null,
      // The simulator alone tells.
      ...(tell === null ? {} : { places: SIMULATOR_PLACES }),
      languageLinks: linksOf(context, again),
      requestId: context.response.get('x-request-id'),
    });
    context.type = 'html';
    context.set(
      'content-security-policy',
      contentSecurityPolicy({ formAction: 'none', script: page.script }),
    );
    context.body = page.html;
  };
}

/** Of a form, or of a sign-in that has ended, there is no address with the same answer. */
export function linksOf({ req: { method, url = '' } }: Context, again: readonly string[]) {
  const [path = '', query = ''] = url.split('?', 2);
  if (method !== 'GET' || !again.includes(path)) return undefined;
  const inLanguage = (locale: Locale) => {
    const parameters = new URLSearchParams(query);
    parameters.set('ui_locales', locale);
    return `${path}?${parameters.toString()}`;
  };
  return { ar: inLanguage('ar'), en: inLanguage('en') };
}

export function localeOf({ query, headers }: Context): Locale {
  const [asked] = textMember(query, 'ui_locales').split(' ');
  const accepted = preferredLocale(headers['accept-language']);
  return parseLocale(asked ?? '') ?? accepted ?? DEFAULT_LOCALE;
}
