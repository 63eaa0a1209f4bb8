import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { buildPackage } from '../../../scripts/pack/build.ts';
import { PACKAGES } from '../../../scripts/pack/packages.ts';
import { share, temporaryFolder } from '../support/at-end.ts';
import { CLIENTS } from '../support/openid/tried-client.ts';

/** What the compiler says of an application with the types of its library, and those of the client. */

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const COMPILER = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
const TYPES = ['express', 'express-session', 'passport', 'react'].map((name) => `@types/${name}`);

const REACT = `
import '@miftah/client/element';
import { useMiftahAttempt, type PageAttempt } from '@miftah/client/react';
export function Waiting({ attempt }: { readonly attempt: PageAttempt }) {
  const { wait, end, cancel } = useMiftahAttempt(attempt);
  // @ts-expect-error: there is no such state
  if (end?.status === 'done') return null;
  return <p><miftah-wait {...wait} />{end?.status}<button onClick={cancel}>Cancel</button></p>;
}
`;
const VUE = `
import { useMiftahAttempt, type PageAttempt } from '@miftah/client/vue';
import { defineComponent, h, ref, type PropType } from 'vue';
export const Waiting = defineComponent({
  props: { attempt: { type: Object as PropType<PageAttempt>, required: true } },
  setup({ attempt }) {
    const { wait, end, cancel } = useMiftahAttempt(ref(attempt));
    // @ts-expect-error: there is no such state
    if (end.value?.status === 'done') cancel();
    return () => [h('miftah-wait', wait.value), end.value?.status, h('button', { onClick: cancel })];
  },
});
`;
const PASSPORT = `
import { createClient } from '@miftah/client';
import { signInForPassport } from '@miftah/client/passport';
import express from 'express';
import passport from 'passport';
const client = createClient({ baseUrl: 'http://127.0.0.1:3000/api/v1' });
const about = { client, appUrl: 'https://shop.example', secret: 'x' };
passport.use(signInForPassport({ ...about, verify: ({ user }, done) => done(null, user) }));
// @ts-expect-error: a misspelt option
signInForPassport({ ...about, verfy: () => undefined });
express().use(passport.authenticate('miftah', { successRedirect: '/' }));
`;
const BETTER_AUTH = `
import { createClient } from '@miftah/client';
import { signInForBetterAuth } from '@miftah/client/better-auth';
import { betterAuth } from 'better-auth';
const client = createClient({ baseUrl: 'http://127.0.0.1:3000/api/v1' });
const about = { client, appUrl: 'https://shop.example', secret: 'x' };
export const auth = betterAuth({ plugins: [signInForBetterAuth({ ...about, callbackURL: '/home' })] });
// @ts-expect-error: a misspelt option
signInForBetterAuth({ ...about, callbackUrl: '/home' });
`;
const AUTH_JS = `
import { Auth, type AuthConfig } from '@auth/core';
import { createClient } from '@miftah/client';
import { signInForAuthJs } from '@miftah/client/auth-js';
import express from 'express';
const client = createClient({ baseUrl: 'http://127.0.0.1:3000/api/v1' });
const about = { client, appUrl: 'https://shop.example', secret: 'x' };
const auth = (request: Request) => Auth(request, config);
const signIn = signInForAuthJs({ ...about, auth, profile: ({ user }) => ({ id: user.nationalId }) });
const config: AuthConfig = { providers: [signIn.provider] };
express().use(signIn.middleware);
// @ts-expect-error: Auth.js has to be asked
signInForAuthJs(about);
`;

describe('the types of the client', () => {
  const folder = share(async (atEnd) => {
    const path = temporaryFolder('types', atEnd);
    const client = PACKAGES.find(({ name }) => name === '@miftah/client');
    if (client === undefined) throw new Error('the client is not published');
    await buildPackage(client, join(path, 'node_modules', client.name));
    for (const name of [...TYPES, '@auth/core', 'better-auth', 'vue']) {
      const link = join(path, 'node_modules', name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(ROOT, CLIENTS, 'node_modules', name), link);
    }
    return path;
  });

  it.each([
    ['React', 'page.tsx', REACT],
    ['Vue', 'page.ts', VUE],
    ['Passport', 'app.mts', PASSPORT],
    ['better-auth', 'auth.mts', BETTER_AUTH],
    ['Auth.js', 'auth-js.mts', AUTH_JS],
  ])('are right beside those of %s', (_, name, program) => {
    writeFileSync(join(folder(), 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder(), name), program);
    const args = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--types', ''];
    const target = ['--module', 'nodenext', '--target', 'es2023', '--jsx', 'react-jsx'];
    const all = [COMPILER, ...args, ...target, name];
    const { stdout } = spawnSync(process.execPath, all, { cwd: folder(), encoding: 'utf8' });
    expect(stdout).toBe('');
  });
});
