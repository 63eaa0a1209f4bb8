/** A page that was asked for, or where it sends the browser. */
export interface Visit {
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

/** What this package has of a browser: pages of one origin, their forms, and cookies. */
export class PageVisitor {
  readonly #origin: string;
  readonly #cookies = new Map<string, string>();
  /** That of the page before, as an attempt has chosen it: a page that knows no attempt follows it. */
  #language = 'en';

  constructor(origin: string) {
    this.#origin = origin;
  }

  open(url: URL): Promise<Visit> {
    return this.#ask(url, { method: 'GET' });
  }

  hasForm({ html }: Visit): boolean {
    return FORM.test(html);
  }

  /** Sends the form of a page. `chosen` is what the person enters beside its hidden fields. */
  press(visit: Visit, chosen: Readonly<Record<string, string>>): Promise<Visit> {
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
    if (url.origin !== this.#origin) {
      throw new Error(`The sign-in leads to ${url.origin}, which is not this Miftah.`);
    }
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = {
      ...sent.headers,
      'accept-language': this.#language,
      ...(cookie === '' ? {} : { cookie }),
    };
    const answer = await fetch(url, { ...sent, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) this.#keep(line);
    const location = ledTo(answer.headers);
    const html = await answer.text();
    [, this.#language = this.#language] = /<html lang="([a-z]+)"/.exec(html) ?? [];
    return {
      status: answer.status,
      url,
      html,
      location: location === null ? null : new URL(location, url),
    };
  }

  #keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (line.includes('Max-Age=0')) this.#cookies.delete(name);
    else this.#cookies.set(name, value);
  }
}

/** A form that leads to another origin is answered with a page that has this header. */
const REFRESH = /^0;url=(.+)$/;

function ledTo(headers: Headers): string | null {
  return headers.get('location') ?? REFRESH.exec(headers.get('refresh') ?? '')?.[1] ?? null;
}

const FORM = /<form[^>]* action="([^"]*)"/;
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
