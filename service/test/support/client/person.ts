import type { BrowserAttempt, PhoneAttempt } from '@miftah/client';
import { PersonBrowser } from '../live/person-browser.ts';

/** What a person does at the simulator, in plain and in strict mode. */

type Origin = { readonly origin: string };

/** Signs in by browser. @returns the address that the browser comes back to */
export async function signInByBrowser(
  { authorizationUrl }: Pick<BrowserAttempt, 'authorizationUrl'>,
  decision = 'approve',
): Promise<URL> {
  // Strict mode stores its own provider's state in clear, as simulator mode stores people; the
  // completion code is recorded when the client sends it.
  const browser = new PersonBrowser(() => undefined);
  const page = await browser.open(authorizationUrl);
  const choice = { person: 'amal', decision };
  const isSignInPage = page.html.includes('data-testid="approve"');
  if (isSignInPage) return wayBack(await browser.press(page, choice));
  const decided = await browser.press(await browser.launch(authorizationUrl), choice);
  const onward = decided.location === null ? await browser.press(decided) : decided;
  return wayBack(await browser.open(wayBack(onward)));
}

function wayBack({ location, status, html }: Awaited<ReturnType<PersonBrowser['open']>>): URL {
  if (location === null) throw new Error(`no way back: ${status} ${html}`);
  return location;
}

/** Decides the prompt of an attempt on the phone, by the control API. */
export async function decideOnPhone(
  { origin }: Origin,
  { id }: Pick<PhoneAttempt, 'id'>,
  decision = 'approve',
): Promise<void> {
  const listed = await fetch(`${origin}/simulator/prompts?request_id=${id}`);
  const { data } = (await listed.json()) as { data: readonly { readonly id: string }[] };
  const answer = await fetch(`${origin}/simulator/prompts/${data[0]?.id}/decision`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ decision }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}
