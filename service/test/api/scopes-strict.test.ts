import { expect, it } from 'vitest';
import { AMAL, bearer, FAISAL, issuedOf, redeem, startedOf } from '../support/service/login.ts';
import { callsOf, inScope } from '../support/service/in-scopes.ts';
import { shareService } from '../support/service/test-service.ts';

/** Scopes of simulator mode with STRICT=yes, where prompts and results go by the wire. */

const strict = shareService({ STRICT: 'yes', PUBLIC_URL: 'http://localhost:3000' });
const { phone, control, idsOf, approvePrompt } = callsOf(strict);
const KEY = bearer('mfk_test_simulator');

const authenticated = (id: string) => `/wait?until=authenticated&attempt_id=${id}`;

async function signIn(scope: string) {
  const mine = inScope(scope);
  const started = startedOf(await phone({ ...KEY, ...mine }));
  const [id = ''] = await idsOf(`/prompts?request_id=${started.attempt_id}`, mine);
  expect(await idsOf('/prompts', {})).toEqual([]);
  expect((await approvePrompt(id, {})).status).toBe(404);
  expect((await approvePrompt(id, mine)).status).toBe(200);
  const waited = await control('GET', authenticated(started.attempt_id), mine);
  expect(waited.body.data).toMatchObject({ reached: true });
  return issuedOf(await redeem(strict(), started, {}, KEY)).user;
}

it('prompts and users are of their scope as well', async () => {
  const [a, b, again] = [await signIn('a'), await signIn('b'), await signIn('a')];
  expect([a.national_id, b.national_id]).toEqual([AMAL, AMAL]);
  expect(b.id).not.toBe(a.id);
  expect(again.id).toBe(a.id);
});

it('somebody who was removed while they were asked signs in as who they were', async () => {
  const mine = inScope('c');
  const started = startedOf(await phone({ ...KEY, ...mine }, FAISAL));
  await control('DELETE', '/people/faisal', mine);
  const [id = ''] = await idsOf('/prompts', mine);
  expect((await approvePrompt(id, mine)).status).toBe(200);
  await control('GET', authenticated(started.attempt_id), mine);
  expect(issuedOf(await redeem(strict(), started, {}, KEY)).user.national_id).toBe(FAISAL);
  const refused = await phone({ ...KEY, ...mine }, FAISAL);
  expect(refused.json()).toMatchObject({ status: 422, code: 'provider.record_not_found' });
});

it('after a reset a person can be asked again, and what waited is over when its time is', async () => {
  const mine = inScope('d');
  const started = startedOf(await phone({ ...KEY, ...mine }, FAISAL));
  const reset = await control('POST', '/reset', mine);
  expect(reset.body.data).toEqual({ scope: 'd', prompts: 1 });
  expect(await idsOf('/prompts', mine)).toEqual([]);
  expect((await phone({ ...KEY, ...mine }, FAISAL)).statusCode).toBe(200);
  const expired = `/wait?until=expired&attempt_id=${started.attempt_id}&timeout=0`;
  expect((await control('GET', expired, mine)).body.data).toMatchObject({ status: 'pending' });
  await control('POST', '/clock', {}, { payload: { advance: '5m' } });
  expect((await control('GET', expired, mine)).body.data).toMatchObject({ status: 'expired' });
});
