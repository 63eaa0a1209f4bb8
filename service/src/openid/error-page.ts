import { contentSecurityPolicy, endedPage } from '@miftah/pages';
import type { Context } from 'oidc-provider/lib/provider.js';
import { DEFAULT_LOCALE, parseLocale, preferredLocale, type Locale } from '../values/locale.ts';
import { UNKNOWN_LINKS } from '../request/answer/page-locale.ts';
import { textMember } from '../request/body/text-member.ts';

/**
 * The page for a request that can't be led back to its application: the address would be one that
 * nobody has registered. It shows nothing of the request.
 */
export function renderError() {
  return (context: Context): void => {
    const page = endedPage({
      locale: localeOf(context),
      kind: 'application',
      languageLinks: UNKNOWN_LINKS,
    });
    context.type = 'html';
    context.set(
      'content-security-policy',
      contentSecurityPolicy({ formAction: 'none', script: page.script }),
    );
    context.body = page.html;
  };
}

function localeOf({ query, headers }: Context): Locale {
  const [asked] = textMember(query, 'ui_locales').split(' ');
  const accepted = preferredLocale(headers['accept-language']);
  return parseLocale(asked ?? '') ?? accepted ?? DEFAULT_LOCALE;
}
