import type { ScriptPolicy } from './scripts.ts';

/** The parts of a policy that differ between pages. */
export type PolicyOptions = {
  /**
   * Where forms may lead, including redirects: `'self'`, and the origins that the answer to a form
   * may redirect to. Empty if the page has no form.
   */
  readonly formAction: readonly string[];
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
    `form-action ${formAction.map(formTarget).join(' ') || "'none'"}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

/**
 * Any port of this machine: the port of a program under development is not known in advance. CSP
 * level 3 section 2.3.1 has no syntax for an IPv6 address, so `[::1]` is refused: a browser would
 * ignore it, and block the form.
 */
const ANY_PORT_HERE = /^https?:\/\/(?:localhost|127\.0\.0\.1):\*$/;

/** One source of form-action; an address is reduced to its origin. */
function formTarget(source: string): string {
  if (source === 'self' || source === "'self'") return "'self'";
  if (ANY_PORT_HERE.test(source)) return source;
  const url = new URL(source);
  if (url.origin === 'null') throw new TypeError(`Not an origin that a form can go to: ${source}`);
  return url.origin;
}
