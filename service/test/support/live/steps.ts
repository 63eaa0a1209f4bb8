import type { Answer, Started } from './live-client.ts';
import { PersonBrowser, type Visit } from './person-browser.ts';
import type { Changes } from '../provider/token-forge.ts';
import type { Scene } from './live-service.ts';

/** A browser that has launched this attempt. */
export async function launched({ authorization_url }: Started): Promise<PersonBrowser> {
  const browser = new PersonBrowser();
  await browser.press(await browser.open(authorization_url));
  return browser;
}

/** A secret of the form that the launch page uses, for forms written by hand. */
export const OWN_SECRET = 'A'.repeat(43);

/** The address to which the provider's page sends the browser back. */
export function returnUrl({ origin, provider }: Scene, { attempt_id }: Started): string {
  const { state } = provider.session(attempt_id);
  return `${origin}/api/v1/callback?${new URLSearchParams({ state }).toString()}`;
}

export function comeBack(scene: Scene, started: Started, browser: PersonBrowser): Promise<Visit> {
  return browser.open(returnUrl(scene, started));
}

/** The number of exchanges of this attempt's state. */
export function exchangesOf({ provider }: Scene, { attempt_id }: Started): number {
  const body = JSON.stringify({ state: provider.session(attempt_id).state });
  return provider.received('exchange').filter((call) => call.body === body).length;
}

/** A sign-in by browser, up to the completion code. */
export async function signedIn(
  scene: Scene,
  started: Started,
  claims: Changes = {},
): Promise<string> {
  const browser = await launched(started);
  scene.provider.approve(started.attempt_id, claims);
  return codeOf(await comeBack(scene, started, browser));
}

/** @throws Error when the visit did not end at the application */
export function codeOf({ location, status, html }: Visit): string {
  const code = location?.searchParams.get('completion_code');
  if (typeof code !== 'string') throw new Error(`no code: ${status} ${html}`);
  return code;
}

export function bringPush({ anybody }: Scene, message: unknown): Promise<Answer> {
  return anybody.post('/provider/mfa-callback', message);
}

/** The text of an error, without the values that differ between requests. */
export function wordsOf({ status, text }: Pick<Answer, 'status' | 'text'>): string {
  return `${status} ${text.replace(/"request_id":"[^"]*"/, '')}`;
}
