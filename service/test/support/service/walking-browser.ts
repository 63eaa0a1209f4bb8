import { ledTo } from '../led-to.ts';
import { BASE, type Answer, type TestService } from './test-service.ts';

/** Where a browser stays: on a page of the service, or at the address that it was sent away to. */
export type Stay =
  | { readonly kind: 'page'; readonly url: URL; readonly answer: Answer }
  | { readonly kind: 'left'; readonly url: URL };

/** More than a sign-in has. */
const MOST_STEPS = 12;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/**
 * A browser without a person, in the process of the service: nobody decides anything. What it is
 * given is not recorded as secret, because the address of the provider's page stays in the store as
 * long as nobody has returned from it.
 */
export class WalkingBrowser {
  readonly #service: TestService;
  readonly #cookies = new Map<string, string>();

  constructor(service: TestService) {
    this.#service = service;
  }

  /**
   * Opens an address, and goes on by every redirect, every page that leads on, and every form that
   * asks nothing, until a page waits for a person or the browser is sent to the application.
   */
  async walk(address: string | URL): Promise<Stay> {
    let url = new URL(address);
    let answer = await this.#send(url);
    for (let step = 0; step < MOST_STEPS; step += 1) {
      const onward = ledTo(answer.headers);
      if (onward !== null) {
        url = new URL(onward, url);
        if (!isOfSignIn(url)) return { kind: 'left', url };
        answer = await this.#send(url);
        continue;
      }
      const form = formIn(answer.payload);
      if (form === null) return { kind: 'page', url, answer };
      url = new URL(form.action, url);
      answer = await this.#send(url, form.fields);
    }
    throw new Error('the browser goes in a circle');
  }

  async #send(url: URL, fields: Readonly<Record<string, string>> | null = null): Promise<Answer> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const { host } = url;
    const answer = await this.#service.app.inject({
      url: url.pathname + url.search,
      ...(fields === null
        ? { method: 'GET', headers: { host, cookie } }
        : {
            method: 'POST',
            headers: { host, cookie, origin: url.origin, ...FORM },
            payload: new URLSearchParams(fields).toString(),
          }),
    });
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.#cookies.set(name, value);
    }
    return answer;
  }
}

function isOfSignIn({ pathname }: URL): boolean {
  return [BASE, '/authservice/', '/api/v2/oidc/'].some((path) => pathname.startsWith(path));
}

/** The form of a page that asks nothing; null for any other page. */
function formIn(html: string) {
  const [, action] = /<form[^>]* action="([^"]*)"/.exec(html) ?? [];
  if (action === undefined || html.includes('name="decision"')) return null;
  const hidden = html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g);
  const fields = [...hidden].map(([, name = '', value = '']) => [name, unescaped(value)] as const);
  return { action: unescaped(action), fields: Object.fromEntries(fields) };
}

function unescaped(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
}
