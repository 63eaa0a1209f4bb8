type Asked = Omit<RequestInit, 'headers'> & { headers: Record<string, string> };

/** A browser without pages: it keeps cookies, and follows no redirect. */
export class Visitor {
  readonly #cookies: Map<string, string>;
  /** Of the cookies of the sign-in, before the id of the attempt. */
  readonly #start: string;
  #newest: string;
  readonly origin: string;

  /** @param before another one, whose cookies it has: they are sent to every port of a host */
  constructor(origin: string, before?: Visitor) {
    this.origin = origin;
    this.#cookies = before === undefined ? new Map<string, string>() : before.#cookies;
    this.#start = `miftah-sign-in-${new URL(origin).port}.`;
    this.#newest = `${this.#start}id`;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.#ask(path, { headers });
  }

  /** As a page of the application sends a form. */
  post(path: string, form: Record<string, string> = {}): Promise<Response> {
    const headers = { origin: this.origin };
    return this.#ask(path, { method: 'POST', body: new URLSearchParams(form), headers });
  }

  /** The cookie of the newest sign-in, as somebody could have copied it. */
  get cookie(): string {
    return this.#cookies.get(this.#newest) ?? '';
  }

  set cookie(value: string) {
    this.#cookies.set(this.#newest, value);
  }

  /** Those of all sign-ins that the browser has begun. */
  get begun(): readonly string[] {
    return [...this.#cookies.keys()].filter((name) => name.startsWith(this.#start));
  }

  async #ask(path: string, { headers: own, ...init }: Asked) {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...own, cookie };
    const answer = await fetch(this.origin + path, { ...init, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/Max-Age=0/.test(line)) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
      if (value !== '' && name.startsWith(this.#start)) this.#newest = name;
    }
    return answer;
  }
}
