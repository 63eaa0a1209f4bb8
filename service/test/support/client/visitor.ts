type Asked = Omit<RequestInit, 'headers'> & { headers: Record<string, string> };

/** A browser without pages: it keeps cookies, and follows no redirect. */
export class Visitor {
  readonly #cookies: Map<string, string>;
  readonly #name: string;
  readonly origin: string;

  /** @param before another one, whose cookies it has: they are sent to every port of a host */
  constructor(origin: string, before?: Visitor) {
    this.origin = origin;
    this.#cookies = before === undefined ? new Map<string, string>() : before.#cookies;
    this.#name = `miftah-sign-in-${new URL(origin).port}`;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.#ask(path, { headers });
  }

  /** As a page of the application sends a form. */
  post(path: string, form: Record<string, string> = {}): Promise<Response> {
    const headers = { origin: this.origin };
    return this.#ask(path, { method: 'POST', body: new URLSearchParams(form), headers });
  }

  /** The cookie of the sign-in, as somebody could have copied it. */
  get cookie(): string {
    return this.#cookies.get(this.#name) ?? '';
  }

  set cookie(value: string) {
    this.#cookies.set(this.#name, value);
  }

  async #ask(path: string, { headers: own, ...init }: Asked) {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...own, cookie };
    const answer = await fetch(this.origin + path, { ...init, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/Max-Age=0/.test(line)) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return answer;
  }
}
