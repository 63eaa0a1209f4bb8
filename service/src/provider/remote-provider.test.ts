import { expect, it, vi } from 'vitest';
import { sampleAttempt, START } from '../../test/conformance/samples.ts';
import { Refusal } from '../errors/refusal.ts';
import { createMemoryCoordination } from '../platform/coordination/memory-coordination.ts';
import type { ProviderApi } from './provider-api.ts';
import { createRemoteProvider } from './remote-provider.ts';

it('no push is sent that could not be asked about', async () => {
  const sent = { bindingCode: '07', transactionId: 'one', expiresAt: START };
  const requestPush = vi.fn(async () => sent);
  const api = { requestPush } as unknown as ProviderApi;
  const { statusPolls: polls } = createMemoryCoordination();
  polls.begin = () => Promise.reject(new Refusal('storage.unavailable'));
  const provider = createRemoteProvider(api, { hasPhoneFlow: true, polls });
  const started = provider.requestPush(sampleAttempt(), { address: '198.51.100.7' });
  await expect(started).rejects.toMatchObject({ code: 'storage.unavailable' });
  expect(requestPush).not.toHaveBeenCalled();
});
