import { onTestFinished } from 'vitest';
import { ApiClient } from './api-client.ts';
import {
  spawnService,
  startService,
  type ServiceOptions,
  type ServiceProcess,
} from './service-process.ts';

/** A ready service that is stopped at the end of the test, whatever its result. */
export async function startServiceForTest(options: ServiceOptions = {}): Promise<ServiceProcess> {
  return endedWithTest(await startService(options));
}

/** The same without waiting until it is ready, for a start that is expected to fail. */
export async function spawnServiceForTest(options: ServiceOptions = {}): Promise<ServiceProcess> {
  return endedWithTest(await spawnService(options));
}

export function clientForTest({ origin }: { readonly origin: string }): ApiClient {
  const client = new ApiClient(origin);
  onTestFinished(() => client.close());
  return client;
}

function endedWithTest(service: ServiceProcess): ServiceProcess {
  onTestFinished(async () => void (await service.kill()));
  return service;
}
