import { DriveFailure } from '../instance/failure.ts';

/** A page, or a redirect. */
interface Visit {
  readonly url: URL;
  readonly status: number;
  readonly html: string;
  /** Where a redirect, or the refresh of a page, leads. */
  readonly location: URL | null;
}

/** The most pages between the first address and the end of a sign-in. */
const MOST_STEPS = 12;
const ENTITIES: Readonly<Record<string, string>> = {
  '&quot;': '"',
  '&lt;': '<',
  '&gt;': '>',
  '&#39;': "'",
  '&amp;': '&',
};

interface Sent {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface BrowserOptions {
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
  /** Asked before a request: throws for an origin that is none of the service or the simulator. */
  readonly mayOpen: (origin: string) => void;
}

/**
 * What a person's browser does in a sign-in, with cookies and forms and nothing else. It knows the
 * pages of the service and of the simulator only.
 */
export class PersonBrowser {
  readonly #options: BrowserOptions;
  /** By origin. */
  readonly #jars = new Map<string, Map<string, string>>();

  constructor(options: BrowserOptions) {
    this.#options = options;
  }

  /** From the launch page to the first page of another origin. @throws DriveFailure */
  async toProvider(address: string): Promise<Visit> {
    const launch = await this.#send(new URL(address), { method: 'GET' });
    return this.#followed(await this.#press(launch, {}));
  }

  /**
   * Approves on the provider's page.
   * @returns the address at the application, which is not opened
   * @throws DriveFailure for any other end
   */
  async approve(page: Visit, person: string, service: string): Promise<URL> {
    let visit = await this.#press(page, { person, decision: 'approve' });
    for (let step = 0; step < MOST_STEPS; step += 1) {
      if (visit.location === null) visit = await this.#press(visit, {});
      else if (visit.url.origin === service && visit.location.searchParams.has('attempt_id')) {
        return visit.location;
      } else visit = await this.#send(visit.location, { method: 'GET' });
    }
    throw unexpected(visit);
  }

  async #followed(first: Visit): Promise<Visit> {
    let visit = first;
    for (let step = 0; step < MOST_STEPS && visit.location !== null; step += 1) {
      visit = await this.#send(visit.location, { method: 'GET' });
    }
    return visit;
  }

  async #press(visit: Visit, chosen: Readonly<Record<string, string>>): Promise<Visit> {
    const [, action] = /<form[^>]* action="([^"]*)"/.exec(visit.html) ?? [];
    if (action === undefined || visit.status !== 200) throw unexpected(visit);
    const hidden = visit.html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g);
    const fields = new URLSearchParams(chosen);
    for (const [, name = '', value = ''] of hidden) fields.set(name, plain(value));
    return this.#send(new URL(plain(action), visit.url), {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: visit.url.origin,
      },
      body: fields.toString(),
    });
  }

  async #send(url: URL, init: Sent): Promise<Visit> {
    const { fetch, signal, mayOpen } = this.#options;
    mayOpen(url.origin);
    const jar = this.#jars.get(url.origin) ?? new Map<string, string>();
    this.#jars.set(url.origin, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...init.headers, ...(cookie === '' ? {} : { cookie }) };
    const answer = await fetch(url, {
      ...init,
      headers,
      signal,
      redirect: 'manual',
    });
    const html = await answer.text();
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    const [, refreshed] = /^\d+; *url=(.+)$/i.exec(answer.headers.get('refresh') ?? '') ?? [];
    const location = answer.headers.get('location') ?? refreshed;
    return {
      url,
      status: answer.status,
      html,
      location: location === undefined ? null : new URL(location, url),
    };
  }
}

function plain(text: string): string {
  return text.replaceAll(/&(?:quot|lt|gt|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity);
}

function unexpected({ url, status }: Visit): DriveFailure {
  return new DriveFailure({
    code: `page.unexpected.${status}`,
    message: `A sign-in came to a page of ${url.origin} without the next step.`,
  });
}
