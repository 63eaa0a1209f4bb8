import type { Browser, Cookie, Page } from 'playwright-core';
import { expect } from 'vitest';
import { openTab } from '../../../../scripts/browser.ts';
import { recordCanaries } from '../canaries/run-folder.ts';
import { decideInBrowser, launchInBrowser, type WebExample } from './web-example.ts';

/** That of who is signed in, and that of a sign-in that was begun. */
const SESSION = { name: /^(?:session|miftah-sign-in-\d+\..+)$/ } as const;

/** Somebody with a browser profile of their own, at the application of examples/web. */
export class WebVisitor {
  readonly page: Page;
  readonly #origin: string;
  readonly #close: () => Promise<void>;

  private constructor(page: Page, origin: string, close: () => Promise<void>) {
    this.page = page;
    this.#origin = origin;
    this.#close = close;
  }

  static async open(browser: Browser, { origin }: WebExample): Promise<WebVisitor> {
    const tab = await openTab(browser);
    return new WebVisitor(tab.page, origin, () => tab[Symbol.asyncDispose]());
  }

  /** Starts by browser. @returns the address that somebody else could be sent */
  async begin(page = this.page): Promise<string> {
    await page.goto(this.#origin);
    await page.getByTestId('by-browser').click();
    await page.waitForURL((url) => url.origin !== this.#origin);
    return page.url();
  }

  async beginByPhone(nationalId: string): Promise<void> {
    await this.page.goto(this.#origin);
    await this.page.getByRole('textbox').fill(nationalId);
    await this.page.getByTestId('by-phone').click();
    await expect.poll(() => this.page.url()).toMatch(`${this.#origin}/sign-in/wait?attempt=`);
    await this.page.waitForLoadState();
  }

  async signIn(person: string): Promise<void> {
    await this.begin();
    await decideInBrowser(this.page, 'approve', person);
    await this.isAt('/');
  }

  /** Waits until the application shows the page of this path. */
  async isAt(path: string, page = this.page): Promise<void> {
    await expect.poll(() => page.url()).toBe(this.#origin + path);
    await page.waitForLoadState();
  }

  /**
   * Asked with the cookies of the browser, without a page, which takes longer.
   * @returns the English name of who is signed in, or `nobody`
   */
  async who(): Promise<string> {
    const home = await this.page.context().request.get(`${this.#origin}/?lang=en`);
    const [, name = 'nobody'] = /data-testid="who"[^>]*>([^<]*)</.exec(await home.text()) ?? [];
    return name;
  }

  /** Asks the application to finish what was begun by phone, without a page. */
  async finish(): Promise<void> {
    const { request } = this.page.context();
    const headers = { origin: this.#origin };
    await request.post(`${this.#origin}/sign-in/finish`, { headers, maxRedirects: 0 });
  }

  /** Comes back to the application. @returns what it has made of this return */
  async comeBack(returned: string | URL): Promise<string> {
    const answer = await this.page.goto(new URL(returned, this.#origin).href);
    const ended = new URL(this.page.url()).searchParams.get('ended');
    return ended ?? (answer?.ok() === true ? 'welcome' : `refused ${answer?.status()}`);
  }

  /**
   * Approves, and comes back while the application does not know the browser, so that the code is
   * not used. @returns the whole return address
   */
  async unusedReturn(person: string): Promise<URL> {
    const { page } = this;
    await launchInBrowser(page);
    const cookies = await this.sessionCookies();
    await page.context().clearCookies(SESSION);
    const returned = await this.returnOf(() => decideInBrowser(page, 'approve', person));
    await this.isAt('/?ended=dropped');
    await page.context().addCookies([...cookies]);
    return returned;
  }

  /** The address with which the browser comes back after `act`. */
  async returnOf(act: () => Promise<void>): Promise<URL> {
    const returning = this.page.waitForRequest(`${this.#origin}/sign-in/return?*`);
    await act();
    const returned = new URL((await returning).url());
    recordCanaries('completion code', [returned.searchParams.get('completion_code') ?? '']);
    return returned;
  }

  /** The cookies of the session, as attackers would copy it or plant it. */
  async sessionCookies(): Promise<readonly Cookie[]> {
    const cookies = await this.page.context().cookies();
    return cookies.filter(({ name }) => SESSION.name.test(name));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }
}
