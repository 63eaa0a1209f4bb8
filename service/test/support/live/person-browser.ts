import { ledTo } from '../led-to.ts';
import { recordReceived } from '../canaries/record-exchange.ts';

export interface Visit {
  readonly status: number;
  readonly url: URL;
  readonly headers: Headers;
  readonly html: string;
  /** Where a redirect leads, or a page that redirects; null for other answers. */
  readonly location: URL | null;
}

interface Sent {
  readonly method: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** The most redirects that are followed, so that a circle ends. */
const MOST_STEPS = 10;

/**
 * A minimal browser with a cookie jar. The tests that use it depend only on headers; tests that
 * need a real browser use Chromium.
 */
export class PersonBrowser {
  readonly cookies = new Map<string, string>();
  readonly #record: typeof recordReceived;

  /** @param record by default it records every secret that it is given */
  constructor(record: typeof recordReceived = recordReceived) {
    this.#record = record;
  }

  async open(url: string | URL): Promise<Visit> {
    return this.#send(new URL(url), { method: 'GET' });
  }

  /** Posts a form as from a page of this origin, by default the origin that it is sent to. */
  async submit(
    url: string | URL,
    form: Record<string, string>,
    { origin } = new URL(url),
  ): Promise<Visit> {
    return this.#send(new URL(url), {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin },
      body: new URLSearchParams(form).toString(),
    });
  }

  /** Submits the form of a page; `chosen` has the values that the person enters. */
  async press(visit: Visit, chosen: Record<string, string> = {}): Promise<Visit> {
    const [, action = ''] = /<form[^>]* action="([^"]*)"/.exec(visit.html) ?? [];
    const hidden = visit.html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g);
    const fields = Object.fromEntries(
      [...hidden].map(([, name = '', value = '']) => [name, value]),
    );
    const to = new URL(unescape(action), visit.url);
    return this.submit(to, { ...unescaped(fields), ...chosen }, visit.url);
  }

  /** Goes from the launch page to the provider's page. */
  async launch(authorizationUrl: string): Promise<Visit> {
    return this.follow(await this.press(await this.open(authorizationUrl)));
  }

  /** Does a whole sign-in. @returns the return address with the completion code */
  async signIn(authorizationUrl: string, person: string): Promise<URL> {
    const page = await this.launch(authorizationUrl);
    const back = await this.returnFrom(page, person);
    const visit = await this.open(back);
    if (visit.location === null) throw new Error(`no way back: ${visit.status} ${visit.html}`);
    return visit.location;
  }

  /**
   * Decides on the provider's page. @returns the address at which the browser returns to the
   * service
   */
  async returnFrom(page: Visit, person: string, decision = 'approve'): Promise<URL> {
    const handedOver = await this.press(page, { person, decision });
    const onward = await this.press(handedOver);
    if (onward.location === null) throw new Error(`it was not sent back: ${onward.html}`);
    return onward.location;
  }

  /** Follows redirects as long as they lead to this machine. */
  async follow(visit: Visit): Promise<Visit> {
    let current = visit;
    for (let step = 0; step < MOST_STEPS && current.location !== null; step += 1) {
      current = await this.open(current.location);
    }
    return current;
  }

  /** Follows the link to the page in the other language. */
  async switchLanguage({ html, url }: Visit): Promise<Visit> {
    const [, address] = /<a class="language" href="([^"]+)"/.exec(html) ?? [];
    if (address === undefined) throw new Error(`no other language: ${html}`);
    const headers = { accept: 'text/html' };
    return this.#send(new URL(unescape(address), url), { method: 'GET', headers });
  }

  async #send(url: URL, init: Sent): Promise<Visit> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = cookie === '' ? init.headers : { ...init.headers, cookie };
    const answer = await fetch(url, { ...init, headers: headers ?? {}, redirect: 'manual' });
    const html = await answer.text();
    this.#record(Object.fromEntries(answer.headers), html);
    for (const line of answer.headers.getSetCookie()) this.#keep(line);
    const location = ledTo(Object.fromEntries(answer.headers));
    return {
      status: answer.status,
      url,
      headers: answer.headers,
      html,
      location: location === null ? null : new URL(location, url),
    };
  }

  #keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (line.includes('Max-Age=0')) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

function unescape(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

function unescaped(fields: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, unescape(text)]));
}
