import { expect, it } from 'vitest';
import { samplePerson, sampleAttempt, START } from '../../../test/conformance/samples.ts';
import { BIRTH_DATE } from '../../account/openid-client.ts';
import { Refusal } from '../../errors/refusal.ts';
import { createMeter } from '../../operate/metrics/meter.ts';
import { createMemoryStore } from '../../store/index.ts';
import { DAY_MS } from '../../values/time.ts';
import { SIMULATOR_RULES } from '../rules.ts';
import { finishLogin, type LoginServices } from './finish-login.flow.ts';

const NOW = START + 1000;
const dayAt = (at: number) => new Date(at).toISOString().slice(0, 10);

/** An attempt of a client that has asked for the day of birth, and its end. */
async function begun() {
  const store = createMemoryStore();
  const attempt = sampleAttempt();
  const body = JSON.stringify({ scope: 'openid birthdate' });
  const rest = { subject: null, client: attempt.client, expiresAt: attempt.expiresAt };
  await store.insertAttempt(attempt, { model: 'Interaction', id: 'id', body, ...rest });
  const services = {
    store,
    rules: SIMULATOR_RULES,
    meter: createMeter({ mode: 'simulator', version: '0' }),
    clients: { find: () => ({ openid: { scopes: ['openid', 'birthdate'] } }) },
    random: { bytes: (length: number) => new Uint8Array(length) },
  } as unknown as LoginServices;
  const finish = (birthDate: string) =>
    finishLogin(services, attempt, { ...samplePerson(), birthDate }, null, NOW);
  const kept = async () => {
    const found = await store.findOpenid({ model: BIRTH_DATE, id: attempt.attemptId });
    return found === null ? null : (JSON.parse(found.body) as unknown);
  };
  return { store, finish, kept };
}

it('a sign-in is not lost with the day of birth when the request of its client cannot be read', async () => {
  const { store, finish, kept } = await begun();
  store.openidOfAttempt = () => Promise.reject(new Refusal('storage.unavailable'));
  expect(await finish(dayAt(NOW - DAY_MS))).not.toBeNull();
  expect(await kept()).toBeNull();
});

it.each([
  ['of yesterday is kept', dayAt(NOW - DAY_MS), true],
  ['of today is left out', dayAt(NOW), false],
  ['of a year to come is left out', '2999-01-01', false],
])('a day of birth %s', async (_, birthDate, isKept) => {
  const { finish, kept } = await begun();
  expect(await finish(birthDate)).not.toBeNull();
  expect(await kept()).toEqual(isKept ? { birthdate: birthDate } : null);
});
