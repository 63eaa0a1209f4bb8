import { h, type ComponentChildren, type JSX } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { safeAddress } from './address.ts';
import { icon, stylesheet, type Asset } from './assets.ts';
import { copyIn, type Copy } from './copy/index.ts';
import { direction, otherLocale, type LanguageLinks, type Locale } from './locale.ts';
import { fill, keyMark, ltrCode } from './parts.ts';
import type { PageScript, ScriptPolicy } from './scripts.ts';
import { testIds } from './test-ids.ts';

/** A complete HTML document, and the script in it that its policy has to allow. */
export type Page = {
  readonly html: string;
  /** Without a source where it is a file of its own. */
  readonly script?: ScriptPolicy & Partial<Pick<PageScript, 'source'>>;
};

/** A script and a style of a page that are files of their own. */
export type PageFiles = {
  readonly script: Asset;
  /** Of the script, as `sha256-...`: the policy allows a file with this content alone. */
  readonly scriptHash: string;
  readonly style: Asset;
};

type Frame = {
  readonly locale: Locale;
  readonly title: string;
  readonly languageLinks?: LanguageLinks | undefined;
  /** The address of the home page, which the mark then leads to. */
  readonly home?: string | undefined;
  /** Of an error: the request that people tell support about, which the log has too. */
  readonly requestId?: string | undefined;
  /** Whether the banner says that no real identities are used. */
  readonly simulation?: boolean;
  /** With `same-origin` the browser states in `Origin` from which page a form comes. */
  readonly referrer?: 'no-referrer' | 'same-origin';
  /** The width of the text column: narrow for a single task, wide for reference. */
  readonly width: 'narrow' | 'wide' | 'full';
  /** Runs after the whole page has been parsed. */
  readonly script?: PageScript | undefined;
  readonly files?: PageFiles;
};

/** Puts the content of a page into the frame that all pages share. */
export function documentPage(frame: Frame, ...content: ComponentChildren[]): Page {
  const copy = copyIn(frame.locale);
  const root = h(
    'html',
    { lang: frame.locale, dir: direction(frame.locale) },
    head(frame, copy),
    h(
      'body',
      { class: frame.width },
      header(frame, copy),
      frame.simulation ? banner(copy) : null,
      h('main', null, content, frame.requestId && support(frame.requestId, copy)),
      h('footer', null, h('p', null, copy.footer)),
      frame.script ? inlineScript(frame.script) : null,
    ),
  );
  const html = `<!doctype html>${renderToString(root)}`;
  const script = frame.script ?? policyOf(frame.files);
  return script ? { html, script } : { html };
}

function support(requestId: string, copy: Copy): JSX.Element {
  return h('p', { class: 'hint' }, fill(copy.support, { id: ltrCode(requestId) }));
}

function policyOf(files: PageFiles | undefined): ScriptPolicy | undefined {
  return files && { hash: files.scriptHash, connects: true };
}

function head({ title, referrer = 'no-referrer', files }: Frame, copy: Copy): JSX.Element {
  return h(
    'head',
    null,
    h('meta', { charset: 'utf-8' }),
    h('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
    h('title', null, title === copy.product ? title : `${title} · ${copy.product}`),
    h('meta', { name: 'color-scheme', content: 'light dark' }),
    // Attempts are private and short-lived, so search engines and other sites must not get their
    // addresses.
    h('meta', { name: 'robots', content: 'noindex' }),
    h('meta', { name: 'referrer', content: referrer }),
    h('link', { rel: 'icon', href: icon.path, type: 'image/svg+xml' }),
    h('link', { rel: 'stylesheet', href: stylesheet.path }),
    files && h('link', { rel: 'stylesheet', href: files.style.path }),
    // A module runs after the whole page has been parsed.
    files && h('script', { type: 'module', src: files.script.path, integrity: files.scriptHash }),
  );
}

function header({ locale, languageLinks, home }: Frame, copy: Copy): JSX.Element {
  const other = otherLocale(locale);
  return h(
    'header',
    null,
    home === undefined
      ? h('p', { class: 'brand' }, keyMark(), h('span', null, copy.product))
      : h(
          'a',
          { class: 'brand', href: safeAddress(home), title: copy.dashboard.home },
          keyMark(),
          h('span', null, copy.product),
        ),
    languageLinks &&
      h(
        'a',
        {
          class: 'language',
          href: safeAddress(languageLinks[other]),
          lang: other,
          hreflang: other,
          'data-testid': testIds.language,
        },
        copyIn(other).languageName,
      ),
  );
}

function inlineScript({ source }: PageScript): JSX.Element {
  return h('script', { dangerouslySetInnerHTML: { __html: source } });
}

function banner(copy: Copy): JSX.Element {
  return h(
    'aside',
    { class: 'banner', 'aria-label': copy.simulation.title },
    h('p', null, h('strong', null, copy.simulation.title), ' ', copy.simulation.text),
  );
}
