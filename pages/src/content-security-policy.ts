import type { ApplicationScheme } from './address.ts';
import type { ScriptPolicy } from './scripts.ts';

export type FormAction = keyof typeof FORM_SOURCES | ApplicationScheme;

const FORM_SOURCES = { self: "'self'", none: "'none'", any: '*' } as const;

/** The parts of a policy that differ between pages. */
export type PolicyOptions = {
  /**
   * Where forms may lead: to our own origin, nowhere if the page has no form, or anywhere. Chromium
   * applies it to every redirect that follows the form too, so a form of our own origin is answered
   * with a page, and never with a redirect to another origin. The page that opens an application
   * names its scheme, since an address of such a scheme has no origin.
   */
  readonly formAction: FormAction;
  /** The one script of the page, if it has one. */
  readonly script?: ScriptPolicy | undefined;
};

/**
 * The Content-Security-Policy of every page of this package. Only the page's own script runs, no
 * other page can frame it, and everything it loads comes from its own origin, apart from images
 * that are contained in the page itself (`data:`).
 */
export function contentSecurityPolicy({ formAction, script }: PolicyOptions): string {
  return [
    "default-src 'none'",
    ...(script ? [`script-src '${script.hash}'`] : []),
    ...(script?.connects ? ["connect-src 'self'"] : []),
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:",
    `form-action ${isNamed(formAction) ? FORM_SOURCES[formAction] : formAction}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

function isNamed(formAction: FormAction): formAction is keyof typeof FORM_SOURCES {
  return Object.hasOwn(FORM_SOURCES, formAction);
}
