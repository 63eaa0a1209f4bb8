import { expect } from 'vitest';
import { ledTo } from '../led-to.ts';
import { bearer, startedOf, type Headers, type Started } from './login.ts';
import { BASE, type Answer, type TestService } from './test-service.ts';

/** The steps of a login in strict simulator mode. */

export const KEY = bearer('mfk_test_simulator');
/** The requests of these tests have the Host `localhost`. */
export const STRICT = { STRICT: 'yes', PUBLIC_URL: 'http://localhost:3000' };

export async function startStrict(service: TestService, body: object = {}): Promise<Started> {
  return startedOf(await service.post('/start', { locale: 'en', ...body }, KEY));
}

/** Decides in place of the person, by the control API. */
export async function decide(
  service: TestService,
  { attempt_id }: Started,
  decision = 'approve',
): Promise<void> {
  const listed = await service.app.inject(`/simulator/prompts?request_id=${attempt_id}`);
  const [prompt] = listed.json<{ data: { id: string }[] }>().data;
  const url = `/simulator/prompts/${prompt?.id}/decision`;
  const decided = await service.app.inject({ method: 'POST', url, payload: { decision } });
  expect(decided.statusCode, decided.payload).toBe(200);
}

/** The address at which the browser returns to the application; a script decides in between. */
export async function returnFrom(service: TestService, started: Started): Promise<URL> {
  const { headers } = await (await launchAndDecide(service, started))();
  return new URL(String(headers.location));
}

/**
 * A launched sign-in, decided by a script.
 * @returns what brings the browser back, again and again; with other headers, another browser
 */
export async function launchAndDecide(
  service: TestService,
  started: Started,
): Promise<(headers?: Headers) => Promise<Answer>> {
  const launch = await launchOf(service, started);
  const state = new URL(String(ledTo(launch.headers))).searchParams.get('state') ?? '';
  const [cookie = ''] = [launch.headers['set-cookie'] ?? ''].flat();
  await decide(service, started);
  const back = new URLSearchParams({ state: state.replaceAll(' ', '+') }).toString();
  return (headers = { cookie }) => service.get(`/callback?${back}`, headers);
}

/** Presses the button of the launch page. @returns the page that leads to the provider */
export async function launchOf(service: TestService, { attempt_id }: Started): Promise<Answer> {
  const page = await service.get(`/callback?state=${attempt_id}`);
  const hidden = page.payload.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g);
  const fields = [...hidden].map(([, name = '', value = '']): [string, string] => [name, value]);
  const launch = await service.request({
    method: 'POST',
    url: `${BASE}/callback/launch`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: STRICT.PUBLIC_URL },
    payload: new URLSearchParams(fields).toString(),
  });
  expect(launch.statusCode, launch.payload).toBe(200);
  return launch;
}
