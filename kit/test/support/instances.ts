import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { startMiftah, type StartOptions, type TestMiftah } from '../../src/index.ts';

export const FOREVER = new Date('2031-05-06T07:08:09.000Z');

/** One instance for all tests of a block. */
export function share(given: boolean | StartOptions): () => TestMiftah {
  const options = typeof given === 'boolean' ? { strict: given } : given;
  let shared: TestMiftah | undefined;
  beforeAll(async () => void (shared = await startMiftah(options)));
  afterAll(async () => shared?.stop());
  return () => {
    if (shared === undefined) throw new Error('it has not started');
    return shared;
  };
}

/** One for this test alone. */
export async function opened(options: Parameters<typeof startMiftah>[0] = {}): Promise<TestMiftah> {
  const miftah = await startMiftah(options);
  onTestFinished(() => miftah.stop());
  return miftah;
}
