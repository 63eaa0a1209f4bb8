import { expect, it, vi } from 'vitest';
import { sampleAttempt } from '../../test/conformance/samples.ts';
import { NO_ATTEMPT_ID } from '../values/ids.ts';
import { attemptTokenDigest } from './attempt.ts';
import { createMemoryStore } from '../store/index.ts';
import { findProvenAttempt } from './find-attempt.flow.ts';
import type { Services } from './services.flow.ts';

const TOKEN = 'the right token';

it('finds the attempt of its token', async () => {
  const store = createMemoryStore();
  const attempt = sampleAttempt({ tokenDigest: attemptTokenDigest(TOKEN) });
  await store.insertAttempt(attempt);
  const services = { store } as unknown as Services;
  expect((await findProvenAttempt(services, attempt.attemptId, TOKEN)).attempt).toEqual(attempt);
});

// Threats 17 and 18: the same work in all three cases. `npm run timing` measures it.
it('does one and the same look-up for a wrong token, an unknown id and what is no id', async () => {
  const store = createMemoryStore();
  const [known, unknown] = [sampleAttempt(), sampleAttempt()];
  await store.insertAttempt(known);
  const proven = vi.spyOn(store, 'findProvenAttempt');
  const services = { store: { findProvenAttempt: store.findProvenAttempt.bind(store) } };
  const ids = [known.attemptId, unknown.attemptId, known.attemptId.toUpperCase(), 'x', ''];
  for (const id of ids) {
    const looked = findProvenAttempt(services as unknown as Services, id, TOKEN);
    await expect(looked).rejects.toMatchObject({ code: 'attempt.not_found' });
  }
  const digest = attemptTokenDigest(TOKEN);
  expect(proven.mock.calls).toEqual(
    [known.attemptId, unknown.attemptId, known.attemptId, NO_ATTEMPT_ID, NO_ATTEMPT_ID].map(
      (id) => [id, digest],
    ),
  );
});
