import { textUpTo } from './text-up-to.ts';

/**
 * What a person's browser does in a sign-in by redirect, with forms and cookies and nothing else: for
 * whoever drives one without a browser. It knows the pages of the service and of the simulator.
 */

/** A page that was asked for, or where it sends the browser. */
interface Visit {
  readonly status: number;
  readonly url: URL;
  readonly html: string;
  /** Where a redirect leads, or a page that redirects; null for other answers. */
  readonly location: URL | null;
}

interface Sent {
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface VisitorOptions {
  /** Asked before each request. Throws for an origin at which nothing is to be asked. */
  readonly mayOpen: (origin: string) => void;
  readonly fetch?: typeof fetch;
  readonly signal?: AbortSignal;
}

/** A page without anything to decide has ended the sign-in. The message is for a developer. */
export class PageFault extends Error {
  override readonly name = 'PageFault';
  /** Of the page. */
  readonly status: number;

  constructor({ status, url, html }: Visit, why?: string) {
    const { code, heading, reason } = html.startsWith('{') ? saidByProblem(html) : saidByPage(html);
    const answer = [status, code].join(' ').trim() + (heading === '' ? '' : `: "${heading}"`);
    const what = why ?? (reason === '' ? 'has nothing to decide' : 'ends the sign-in');
    const because = reason === '' ? '.' : `: ${reason}`;
    super(`The sign-in page ${url.origin}${url.pathname} ${what} (${answer})${because}`);
    this.status = status;
  }
}

/** What a page without anything to decide says about itself; empty where it does not. */
interface SaidByPage {
  /** Of the error catalogue. */
  readonly code: string;
  readonly heading: string;
  readonly reason: string;
}

/** Longer than any reason of the service. */
const LONGEST_REASON = 1200;

/** The reason for the developer where the page has one, then what happened, then the line below its heading. */
function saidByPage(html: string): SaidByPage {
  const [, heading = ''] = /<h1[^<>]*>([^<]*)</.exec(html) ?? [];
  const own = paragraphOf(html, 'notice');
  // Only a page of the error catalogue has a code. A reason for the developer may have other names.
  const [code = ''] = own === '' ? (/(?<=<code[^<>]*>)[a-z]+\.[a-z_]+(?=<)/.exec(html) ?? []) : [];
  const reason = own || paragraphOf(html, 'told') || paragraphOf(html, 'lead');
  return { code, heading: heading.trim(), reason };
}

/** The text of the first paragraph of a class. */
function paragraphOf(html: string, name: string): string {
  const begin = new RegExp(`<p[^<>]* class="${name}"[^<>]*>`).exec(html);
  if (begin === null) return '';
  const [inner = ''] = html.slice(begin.index + begin[0].length).split('</p>', 1);
  return short(unescaped(inner.replaceAll(/<[^<>]*>/g, '')));
}

/** Of an answer for programs (RFC 9457). */
function saidByProblem(body: string): SaidByPage {
  const none = { code: '', heading: '', reason: '' };
  try {
    const problem: unknown = JSON.parse(body);
    if (typeof problem !== 'object' || problem === null) return none;
    const textIn = (name: string) => {
      const value: unknown = Reflect.get(problem, name);
      return typeof value === 'string' ? short(value) : '';
    };
    return { code: textIn('code'), heading: textIn('title'), reason: textIn('detail') };
  } catch {
    return none;
  }
}

function short(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').slice(0, LONGEST_REASON);
}

/** More pages and redirects than any sign-in has. */
const MOST_STEPS = 15;
/** Far more than any page of the service and of the simulator has. */
const MOST_BYTES = 2 * 1024 * 1024;

/** One browser of one person. */
export class PageVisitor {
  readonly #options: VisitorOptions;
  /** By origin. */
  readonly #jars = new Map<string, Map<string, string>>();
  /** That of the page before, as an attempt has chosen it: a page that knows no attempt follows it. */
  #language = 'en';

  constructor(options: VisitorOptions) {
    this.#options = options;
  }

  /**
   * Goes through the pages as the buttons of a person lead.
   * @param choice what is entered on the provider's page
   * @param isEnd whether an address is where the sign-in leads back to
   * @returns that address, which is not opened
   * @throws PageFault
   */
  async signIn(
    address: URL,
    choice: Readonly<Record<string, string>>,
    isEnd: (url: URL) => boolean,
  ): Promise<URL> {
    let visit = await this.#open(address);
    for (let step = 0; step < MOST_STEPS; step += 1) {
      const { location } = visit;
      if (location !== null && isEnd(location)) return location;
      visit = location === null ? await this.#decide(visit, choice) : await this.#open(location);
    }
    throw new PageFault(visit, `is not the end of a sign-in after ${MOST_STEPS} pages`);
  }

  #decide(visit: Visit, choice: Readonly<Record<string, string>>): Promise<Visit> {
    if (!FORM.test(visit.html)) throw new PageFault(visit);
    return this.#press(visit, visit.html.includes('data-testid="approve"') ? choice : {});
  }

  #open(url: URL): Promise<Visit> {
    return this.#ask(url, { method: 'GET' });
  }

  /** Sends the form of a page. `chosen` is what the person enters beside its hidden fields. */
  #press(visit: Visit, chosen: Readonly<Record<string, string>>): Promise<Visit> {
    const [, action = ''] = FORM.exec(visit.html) ?? [];
    const fields = new URLSearchParams();
    for (const [, name = '', value = ''] of visit.html.matchAll(HIDDEN)) {
      fields.set(name, unescaped(value));
    }
    for (const [name, value] of Object.entries(chosen)) fields.set(name, value);
    return this.#ask(new URL(unescaped(action), visit.url), {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: visit.url.origin,
      },
      body: fields.toString(),
    });
  }

  async #ask(url: URL, sent: Sent): Promise<Visit> {
    const { mayOpen, signal, fetch = globalThis.fetch } = this.#options;
    mayOpen(url.origin);
    const jar = this.#jars.get(url.origin) ?? new Map<string, string>();
    this.#jars.set(url.origin, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = {
      ...sent.headers,
      'accept-language': this.#language,
      ...(cookie === '' ? {} : { cookie }),
    };
    const answer = await fetch(url, {
      ...sent,
      headers,
      redirect: 'manual',
      ...(signal === undefined ? {} : { signal }),
    });
    for (const line of answer.headers.getSetCookie()) keep(line, jar);
    const location = ledTo(answer.headers);
    const html = await textOf(answer, url);
    [, this.#language = this.#language] = /<html lang="([a-z]+)"/.exec(html) ?? [];
    return {
      status: answer.status,
      url,
      html,
      location: location === null ? null : new URL(location, url),
    };
  }
}

function keep(line: string, jar: Map<string, string>): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
  if (line.includes('Max-Age=0')) jar.delete(name);
  else jar.set(name, value);
}

/** @throws PageFault for an answer that is longer than a page, of which the rest is not read */
async function textOf(answer: Response, url: URL): Promise<string> {
  const html = await textUpTo(answer, MOST_BYTES);
  if (html !== null) return html;
  const why = `has more than ${MOST_BYTES / 1024 / 1024} MiB`;
  throw new PageFault({ status: answer.status, url, html: '', location: null }, why);
}

/** A form that leads to another origin is answered with a page that has this header. */
const REFRESH = /^0;url=(.+)$/;

function ledTo(headers: Headers): string | null {
  return headers.get('location') ?? REFRESH.exec(headers.get('refresh') ?? '')?.[1] ?? null;
}

// A page that never closes a tag is read once, and not from each of its tags to the end.
const FORM = /<form[^<>]* action="([^"]*)"/;
const HIDDEN = /<input type="hidden" name="([^"]+)" value="([^"]*)"/g;

const ENTITIES: Readonly<Record<string, string>> = {
  '&quot;': '"',
  '&lt;': '<',
  '&gt;': '>',
  '&#39;': "'",
  '&amp;': '&',
};

function unescaped(text: string): string {
  return text.replaceAll(/&(?:quot|lt|gt|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity);
}
