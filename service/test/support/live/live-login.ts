import type { Answer, LiveClient, Started } from './live-client.ts';
import { PersonBrowser } from './person-browser.ts';
import { until } from '../programs/until.ts';
import { somebody } from '../attacks/crowd.ts';

export interface Finished {
  readonly started: Started;
  /** The completion code; empty for a sign-in by phone. */
  readonly code: string;
  readonly browser: PersonBrowser;
}

/** A sign-in by browser, up to the completion code. */
export async function signIn(client: LiveClient, person = 'amal'): Promise<Finished> {
  const browser = new PersonBrowser();
  const started = await client.startRedirect();
  const back = await browser.signIn(started.authorization_url, person);
  return { started, code: back.searchParams.get('completion_code') ?? '', browser };
}

export function redeemed(
  client: LiveClient,
  { started, code }: Finished,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const extra = code === '' ? {} : { completion_code: code };
  return client.redeem(started, extra, { ...somebody(), ...headers });
}

/** A whole sign-in. @returns the API token */
export async function logIn(client: LiveClient, person = 'amal'): Promise<string> {
  const { status, text, data } = await redeemed(client, await signIn(client, person));
  if (status !== 200) throw new Error(`no token: ${status} ${text}`);
  return String(data['token']);
}

/** Decides on the phone in place of the person, and waits for the signed result. */
export async function answerPush(
  { simulator }: { readonly simulator: { readonly origin: string } },
  client: LiveClient,
  started: Started,
  decision: 'approve' | 'refuse' = 'approve',
): Promise<void> {
  const prompts = `${simulator.origin}/simulator/prompts`;
  const found = await fetch(`${prompts}?request_id=${started.attempt_id}`);
  const { data } = (await found.json()) as { data: { id: string }[] };
  const answer = await fetch(`${prompts}/${data[0]?.id}/decision`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ decision }),
  });
  if (!answer.ok) throw new Error(`no decision: ${answer.status} ${await answer.text()}`);
  await until(async () => (await client.status(started)).data['status'] !== 'pending');
}
