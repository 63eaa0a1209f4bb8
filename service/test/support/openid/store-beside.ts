import { onTestFinished } from 'vitest';
import { loadConfig } from '../../../src/config/config.ts';
import { createRandom } from '../../../src/platform/runtime.ts';
import { openStoreForCommand } from '../../../src/program/open-store.ts';
import type { Store } from '../../../src/store/ports/store.port.ts';
import { ACT } from '../../conformance/samples.ts';
import type { TestService } from '../service/test-service.ts';

/** The store of a running service, opened as the operator's commands do. */
export async function openStoreBeside({ dataDir }: Pick<TestService, 'dataDir'>): Promise<Store> {
  const { config } = loadConfig([], { DATA_DIR: dataDir });
  const store = await openStoreForCommand(config, createRandom(), ACT);
  onTestFinished(() => store.close());
  return store;
}
