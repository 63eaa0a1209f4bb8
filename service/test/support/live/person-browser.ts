import { recordReceived } from '../canaries/record-exchange.ts';

export interface Visit {
  readonly status: number;
  readonly url: URL;
  readonly headers: Headers;
  readonly html: string;
  /** Where a redirect leads; null when there is none. */
  readonly location: URL | null;
}

interface Sent {
  readonly method: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** Steps that lead from one page to the next, and never round in a circle. */
const MOST_STEPS = 10;

/**
 * A person's browser, with a cookie jar and nothing else: what matters of a browser here can be
 * said in headers. Tests that need a real one use Chromium.
 */
export class PersonBrowser {
  readonly cookies = new Map<string, string>();

  async open(url: string | URL): Promise<Visit> {
    return this.#send(new URL(url), { method: 'GET' });
  }

  /** As from a page of that origin, which is by default the one that it is sent to. */
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

  /** Presses the button of the page's form; `chosen` stands for what the person fills in. */
  async press(visit: Visit, chosen: Record<string, string> = {}): Promise<Visit> {
    const [, action = ''] = /<form[^>]* action="([^"]*)"/.exec(visit.html) ?? [];
    const hidden = visit.html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g);
    const fields = Object.fromEntries(
      [...hidden].map(([, name = '', value = '']) => [name, value]),
    );
    const to = new URL(unescape(action), visit.url);
    return this.submit(to, { ...unescaped(fields), ...chosen }, visit.url);
  }

  /** From the launch page to the provider's own page. */
  async launch(authorizationUrl: string): Promise<Visit> {
    return this.follow(await this.press(await this.open(authorizationUrl)));
  }

  /** Through the whole of it: the address at which the application gets its code. */
  async signIn(authorizationUrl: string, person: string): Promise<URL> {
    const page = await this.launch(authorizationUrl);
    const back = await this.returnFrom(page, person);
    const visit = await this.open(back);
    if (visit.location === null) throw new Error(`no way back: ${visit.status} ${visit.html}`);
    return visit.location;
  }

  /** Decides on the provider's page; gives the address by which the browser comes back to us. */
  async returnFrom(page: Visit, person: string, decision = 'approve'): Promise<URL> {
    const handedOver = await this.press(page, { person, decision });
    const onward = await this.press(handedOver);
    if (onward.location === null) throw new Error(`it was not sent back: ${onward.html}`);
    return onward.location;
  }

  /** Where redirects lead, without leaving the machine. */
  async follow(visit: Visit): Promise<Visit> {
    let current = visit;
    for (let step = 0; step < MOST_STEPS && current.location !== null; step += 1) {
      current = await this.open(current.location);
    }
    return current;
  }

  async #send(url: URL, init: Sent): Promise<Visit> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = cookie === '' ? init.headers : { ...init.headers, cookie };
    const answer = await fetch(url, { ...init, headers: headers ?? {}, redirect: 'manual' });
    const html = await answer.text();
    recordReceived(Object.fromEntries(answer.headers), html);
    for (const line of answer.headers.getSetCookie()) this.#keep(line);
    const location = answer.headers.get('location');
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
