import { CLIENT_KEY } from './clients.ts';
import { ADDRESS, connectMiftah, TOKEN, type ConnectOptions } from './connect.ts';
import { isObject, optionsOf, requireUse } from './options.ts';
import { freshScope } from './platform.ts';
import { START, startMiftah, type StartOptions } from './start.ts';
import type { TestMiftah } from './test-miftah.ts';

/** An instance that runs already. Each test has a scope of it, and all have its clock. */
export interface SharedInstance extends Omit<ConnectOptions, 'scope'> {
  /** As `connectMiftah` takes it. */
  readonly url: string | URL;
}

/** What `test.extend` of vitest and of Playwright takes. */
export interface MiftahFixture {
  readonly miftah: (context: object, use: (miftah: TestMiftah) => Promise<void>) => Promise<void>;
}

/**
 * `test.extend(miftahFixture())`: each test that names `miftah` has a Miftah to itself, with its own
 * people, prompts, faults, outcomes and time. It is stopped when the test ends.
 * @param options those of `startMiftah`; or `url`, with those of `connectMiftah` but its scope
 * @throws TypeError for options that can't be
 */
export function miftahFixture(options: StartOptions | SharedInstance = {}): MiftahFixture {
  const isShared = isOfShared(options);
  requireUse('miftahFixture', arguments, [isShared ? SHARED : START]);
  const open = () => (isShared ? openScope(options) : startMiftah(options));
  return {
    // oxlint-disable-next-line no-empty-pattern -- Both libraries read in it which fixtures it needs.
    async miftah({}, use) {
      const miftah = await open();
      try {
        await use(miftah);
      } finally {
        await miftah.stop();
      }
    },
  };
}

function isOfShared(options: StartOptions | SharedInstance): options is SharedInstance {
  return isObject(options) && 'url' in options;
}

const SHARED = optionsOf<SharedInstance>({ url: ADDRESS, token: TOKEN, clientKey: CLIENT_KEY });

function openScope({ url, ...options }: SharedInstance): Promise<TestMiftah> {
  return connectMiftah(url, { ...options, scope: freshScope() });
}
