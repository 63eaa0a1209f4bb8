import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@miftah/client';
import { signInForWeb } from '@miftah/client/web';
import { rolldown } from 'rolldown';
import { writeClientsFile } from '../../../../scripts/rehearsal.ts';
import { temporaryFolder, type AtEnd } from '../at-end.ts';
import { installClient } from '../client/copied-example.ts';
import { shareWebExample, simulate } from '../client/web-example.ts';
import { CLIENTS } from '../openid/tried-client.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/**
 * An example as somebody has copied it, beside the client as its package has it and the packages of
 * its library.
 * @returns the program
 */
async function copyWith(
  example: string,
  packages: readonly string[],
  atEnd: AtEnd,
): Promise<string> {
  const folder = temporaryFolder('library', atEnd);
  cpSync(join(ROOT, 'examples/libraries', example), join(folder, example), { recursive: true });
  await installClient(folder);
  for (const name of packages) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, CLIENTS, 'node_modules', name), link);
  }
  await bundlePage(join(folder, example));
  return join(folder, example, 'app.mjs');
}

/** As the README of the example says, where there is a page to bundle. */
async function bundlePage(folder: string): Promise<void> {
  const input = readdirSync(folder).find((name) => name.startsWith('page.'));
  if (input === undefined) return;
  const bundle = await rolldown({ cwd: folder, input: `./${input}`, platform: 'browser' });
  await bundle.write({ file: join(folder, 'page.js'), minify: true });
}

const KEYS = { shop: 'mfk_shop_0123456789abcdef', other: 'mfk_other_0123456789abcdef' };
const SECRET = 'a secret of this test, which is long enough';

/** The example of a library, in strict mode, beside another client of the same service. */
export function shareExample(example: string, packages: readonly string[]) {
  const shared = shareWebExample(
    async (origin, atEnd) => {
      const clients = Object.entries(KEYS).map(([id, key]) => clientAt(id, key, origin));
      const CLIENTS_FILE = writeClientsFile(temporaryFolder('clients', atEnd), clients);
      const simulated = await simulate({ STRICT: 'yes', CLIENTS_FILE }, atEnd);
      const MIFTAH_URL = `${simulated.provider}/api/v1`;
      const settings = { MIFTAH_URL, MIFTAH_KEY: KEYS.shop, PORT: new URL(origin).port };
      return { ...simulated, settings: { ...settings, APP_SECRET: SECRET } };
    },
    async (atEnd) => [await copyWith(example, packages, atEnd)],
  );
  return {
    example: shared,
    /** A sign-in of a client, whose cookie the example opens: it has the same secret and address. */
    signInOf: (client: keyof typeof KEYS, path: string) => {
      const { origin, provider } = shared();
      return signInForWeb({
        client: createClient({ baseUrl: `${provider}/api/v1`, clientKey: KEYS[client] }),
        appUrl: origin,
        secret: SECRET,
        path,
        locale: 'en',
        signedIn: () => new Response('signed in'),
      });
    },
  };
}

function clientAt(id: string, key: string, origin: string) {
  return {
    id,
    name: { ar: 'تطبيق المثال', en: 'Example Application' },
    type: 'confidential',
    return_addresses: [`${origin}/sign-in/return`, `${origin}/api/auth/miftah/return`],
    keys: [key],
  } as const;
}
