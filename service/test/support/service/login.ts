import { expect } from 'vitest';
import { ERROR_STATUS, type ErrorCode } from '@miftah/contract/errors';
import { ledTo } from '../led-to.ts';
import type { Issued, Started, WireUser } from '../wire.ts';
import { BASE, type Answer, type TestService } from './test-service.ts';

/** The steps of a client's login over HTTP. */

export type Json = Readonly<Record<string, unknown>>;
export type Headers = Record<string, string>;

/** The numbers of the simulator's default person, and of two more test people. */
export const AMAL = '1000001101';
export const FAISAL = '1000002201';
export const KUSUMA = '2000005501';
/** A well-formed number that no person has. */
export const UNLISTED = '1234567890';

export type { Issued, Started, WireUser };

/** The `data` of a success, which must be its only member. */
export function dataOf(answer: Answer): Json {
  expect(answer.statusCode, answer.payload).toBe(200);
  const body = answer.json<{ data: Json }>();
  expect(Object.keys(body)).toEqual(['data']);
  return body.data;
}

export const startedOf = (answer: Answer) => dataOf(answer) as unknown as Started;
export const issuedOf = (answer: Answer) => dataOf(answer) as unknown as Issued;

export async function startRedirect(service: TestService, locale = 'en'): Promise<Started> {
  return startedOf(await service.post('/start', { locale }));
}

export async function startPhone(
  service: TestService,
  nationalId = AMAL,
  locale = 'en',
): Promise<Started> {
  return startedOf(await service.post('/start', { national_id: nationalId, locale }));
}

/** Completes the attempt in the way of its flow. */
export function complete(service: TestService, started: Started): Promise<Answer> {
  return started.random === undefined
    ? service.post('/callback', { state: started.attempt_id, auto_complete: true })
    : service.post('/complete-mfa', { attempt_id: started.attempt_id });
}

export async function startCompleted(
  service: TestService,
  flow: 'redirect' | 'phone' = 'phone',
): Promise<Started> {
  const started = flow === 'phone' ? await startPhone(service) : await startRedirect(service);
  expect((await complete(service, started)).statusCode).toBe(200);
  return started;
}

export function readStatus(
  service: TestService,
  { attempt_id, attempt_token }: Pick<Started, 'attempt_id' | 'attempt_token'>,
): Promise<Answer> {
  return service.get(`/status/${attempt_id}`, { 'x-provider-attempt-token': attempt_token });
}

export async function statusOf(service: TestService, started: Started): Promise<unknown> {
  return dataOf(await readStatus(service, started))['status'];
}

export function redeem(
  service: TestService,
  { attempt_id, attempt_token }: Pick<Started, 'attempt_id' | 'attempt_token'>,
  members: Json = {},
  headers: Headers = {},
): Promise<Answer> {
  return service.post(`/token/${attempt_id}`, { attempt_token, ...members }, headers);
}

export function cancel(
  service: TestService,
  { attempt_id, attempt_token }: Pick<Started, 'attempt_id' | 'attempt_token'>,
  headers: Headers = {},
): Promise<Answer> {
  const proof = { 'x-provider-attempt-token': attempt_token, ...headers };
  return service.remove(`/attempts/${attempt_id}`, proof);
}

/** Does a whole login of the person with this number. */
export async function login(
  service: TestService,
  nationalId = AMAL,
  members: Json = {},
): Promise<Issued> {
  const started = await startPhone(service, nationalId);
  await complete(service, started);
  return issuedOf(await redeem(service, started, members));
}

export function bearer(token: string): Headers {
  return { authorization: `Bearer ${token}` };
}

/** Posts the form of the sign-in page. */
export function postSignIn(
  service: TestService,
  form: Readonly<Record<string, string>>,
  headers: Headers = {},
): Promise<Answer> {
  return service.request({
    method: 'POST',
    url: `${BASE}/callback/sign-in`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams(form).toString(),
  });
}

/** Approves in a browser in place of the person. @returns the completion code */
export async function approveInBrowser(
  service: TestService,
  started: Started,
  person = 'amal',
): Promise<string> {
  const form = { state: started.attempt_id, person, decision: 'approve' };
  const answer = await postSignIn(service, form);
  expect(answer.statusCode).toBe(200);
  const address = new URL(String(ledTo(answer.headers)));
  return address.searchParams.get('completion_code') ?? '';
}

export interface Problem extends Json {
  readonly message: string;
  readonly errors?: Readonly<Record<string, readonly string[]>>;
  readonly violations?: readonly { pointer: string; code: string }[];
}

/** Expects exactly the catalogue's error body: no member more and none less. */
export function expectProblem(answer: Answer, code: ErrorCode): Problem {
  const body = answer.json<Problem>();
  expect(body['code'], answer.payload).toBe(code);
  expect(answer.statusCode).toBe(ERROR_STATUS[code]);
  expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
  expect(body).toMatchObject({
    type: `/errors/${code}`,
    status: ERROR_STATUS[code],
    request_id: answer.headers['x-request-id'],
  });
  for (const member of ['title', 'detail', 'remedy']) {
    expect(body[member], member).toEqual(expect.stringMatching(/\S/));
  }
  return body;
}
