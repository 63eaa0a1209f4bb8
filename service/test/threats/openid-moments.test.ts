import { dirname } from 'node:path';
import * as oidc from 'openid-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeClientsFile } from '../../../scripts/rehearsal.ts';
import type { User } from '../../src/account/user.ts';
import { createMemoryStore } from '../../src/store/index.ts';
import type { Store } from '../../src/store/ports/store.port.ts';
import { share, temporaryFolder, type AtEnd } from '../support/at-end.ts';
import { decideOnPhoneOf } from '../support/client/web-example.ts';
import { errorOf, startPush } from '../support/openid/ciba.ts';
import { signInOf } from '../support/openid/demo-sign-in.ts';
import {
  discovered,
  OPENID_CLIENTS,
  openOpenid,
  PORTAL_KEY,
} from '../support/openid/openid-scene.ts';

/** An operator's command that falls into the work of one request, at each place of it. */

const AMAL = '1000001101';
const { portal, reader } = OPENID_CLIENTS;
const redirectUri = 'https://portal.example.test/cb';

type Command = (store: Store, user: User) => Promise<unknown>;

const revokeUser: Command = (store, { id }) => store.revokeAll(Date.now(), { userId: id });

const COMMANDS: readonly { readonly command: string; readonly work: Command }[] = [
  { command: 'revoke --user', work: revokeUser },
  {
    command: 'revoke --client',
    work: (store) => store.revokeAll(Date.now(), { client: 'portal' }),
  },
  { command: 'revoke --all', work: (store) => store.revokeAll(Date.now(), 'all') },
  {
    command: 'user disable',
    work: async (store, { id }) => {
      await store.disableUser(id, Date.now());
      await store.enableUser(id, Date.now());
    },
  },
  {
    command: 'user erase',
    work: (store, { id }) =>
      store.eraseUser({ userId: id, at: Date.now(), pushesOf: [], keepsOut: null }),
  },
];

const READ = 'the attempt is read';
const CONSUMED = 'the attempt is consumed';

/** A service whose store lets something happen at one place of a sign-in. */
async function openHooked(atEnd: AtEnd) {
  const memory = createMemoryStore();
  const clientsFile = writeClientsFile(temporaryFolder('openid', atEnd), [portal]);
  let user: User | null = null;
  let planned: { readonly moment: string; readonly work: Command } | null = null;
  const reached = async (moment: string) => {
    if (user === null || planned?.moment !== moment) return;
    const { work } = planned;
    planned = null;
    await work(memory, user);
  };
  const openStore = async (): Promise<Store> => ({
    ...memory,
    async findSignIn(attemptId) {
      const found = await memory.findSignIn(attemptId);
      ({ user } = found ?? { user: null });
      await reached(READ);
      return found;
    },
    async consumeAttempt(change) {
      const consumed = await memory.consumeAttempt(change);
      user = consumed?.user ?? user;
      await reached(CONSUMED);
      return consumed;
    },
    async useAttempt(change) {
      const isUsed = await memory.useAttempt(change);
      await reached(CONSUMED);
      return isUsed;
    },
    async putOpenid(record, issue) {
      await reached(record.model);
      return memory.putOpenid(record, issue);
    },
    async followOpenid(record, followed) {
      await reached(record.model);
      return memory.followOpenid(record, followed);
    },
    async changeOpenid(changes) {
      for (const change of changes) if ('put' in change) await reached(change.put.model);
      return memory.changeOpenid(changes);
    },
  });
  const { service, origin } = await openOpenid(atEnd, { CLIENTS_FILE: clientsFile }, { openStore });
  const at = (moment: string, work: Command) => {
    user = null;
    planned = { moment, work };
    return () => planned === null;
  };
  const remove = async () => {
    writeClientsFile(dirname(clientsFile), [reader]);
    await service.reload();
  };
  return { origin, service, at, remove };
}

const hooked = share(openHooked);

const PAGE = 'a page that says to begin anew';

async function signInByBrowser(issuer: string): Promise<string> {
  const wished = { id: 'portal', secret: PORTAL_KEY, redirectUri };
  const [signedIn] = await Promise.allSettled([signInOf(issuer, wished)]);
  if (signedIn.status === 'rejected') {
    expect(String(signedIn.reason)).toMatch(/no way back: 40[04] <!doctype html>/);
    return PAGE;
  }
  const { config, back, verifier } = signedIn.value;
  const error = back.searchParams.get('error');
  if (error !== null) return error;
  const checks = { pkceCodeVerifier: verifier };
  return tokenOf(oidc.authorizationCodeGrant(config, back, checks));
}

async function signInByPush(issuer: string): Promise<string> {
  const config = await discovered(issuer, 'portal', oidc.ClientSecretBasic(PORTAL_KEY));
  const { end } = await startPush(config, { login_hint: AMAL });
  await decideOnPhoneOf({ provider: issuer }, AMAL);
  return tokenOf(end());
}

/**
 * Whole sign-ins, up to an access token, the error that the application is told, or `PAGE`; and the
 * places of each: after the consumption, and before the first write of each kind that follows it. By a
 * browser the consumption and the writes are one call of the store, but at the first sign-in.
 */
const WAYS = [
  {
    way: 'by a browser',
    signIn: signInByBrowser,
    moments: [READ, CONSUMED, 'Grant', 'AuthorizationCode', 'AccessToken'],
  },
  {
    way: 'by a push',
    signIn: signInByPush,
    moments: [CONSUMED, 'Grant', 'BackchannelAuthenticationRequest', 'AccessToken'],
  },
] as const;

async function tokenOf(answer: Promise<{ readonly access_token: string }>): Promise<string> {
  const [end] = await Promise.allSettled([answer]);
  if (end.status === 'fulfilled') return end.value.access_token;
  const { reason } = end as { reason: unknown };
  if (reason instanceof oidc.WWWAuthenticateChallengeError && reason.status === 401) {
    return 'invalid_client';
  }
  return String(errorOf(end));
}

describe('threat 122: a command in the very moment of a sign-in', () => {
  const cases = WAYS.flatMap(({ way, signIn, moments }) =>
    moments.flatMap((moment) =>
      COMMANDS
        // Who is enabled again before the attempt is used may sign in.
        .filter(({ command }) => moment !== READ || command !== 'user disable')
        .map((one) => ({ way, signIn, moment, ...one })),
    ),
  );

  it.each(cases)('$way: $command at $moment leaves no token', async ({ signIn, moment, work }) => {
    const wasReached = hooked().at(moment, work);
    const end = await signIn(hooked().origin);
    expect(wasReached()).toBe(true);
    expect(end).toBeOneOf(['access_denied', 'invalid_grant', PAGE]);
  });

  it('by a browser: whoever is disabled before the attempt is used gets no code', async () => {
    const disabled: (() => Promise<unknown>)[] = [];
    hooked().at(READ, async (store, { id }) => {
      await store.disableUser(id, Date.now());
      disabled.push(() => store.enableUser(id, Date.now()));
    });
    expect(await signInByBrowser(hooked().origin)).toBe('access_denied');
    expect(disabled).toHaveLength(1);
    for (const enable of disabled) await enable();
  });

  it.each(WAYS)('$way: the application is told so, and the next sign-in is good', async (one) => {
    hooked().at('Grant', revokeUser);
    expect(await one.signIn(hooked().origin)).toBe('access_denied');
    const token = await one.signIn(hooked().origin);
    const headers = { authorization: `Bearer ${token}` };
    const about = await fetch(`${hooked().origin}/openid/userinfo`, { headers });
    expect(about.status).toBe(200);
  });
});

describe('threat 122: a client that the operator removes in the very moment of a sign-in', () => {
  const cases = WAYS.flatMap(({ moments, ...one }) =>
    moments.map((moment) => ({ ...one, moment })),
  );

  it.each(cases)('$way: at $moment gets nothing that is good', async ({ signIn, moment }) => {
    const { origin, service, at, remove } = await openHooked(onTestFinished);
    const wasReached = at(moment, remove);
    const end = await signIn(origin);
    expect(wasReached()).toBe(true);
    expect(service.logLines.filter((line) => line.includes('could not be answered'))).toEqual([]);
    if (REFUSALS.has(end)) return;
    const headers = { authorization: `Bearer ${end}` };
    expect((await fetch(`${origin}/openid/userinfo`, { headers })).status).toBe(401);
  });
});

it('a client that the operator removes while it polls is told so', async () => {
  const { origin, at, remove } = await openHooked(onTestFinished);
  at(CONSUMED, remove);
  expect(await signInByPush(origin)).toBe('invalid_client');
});

/** `invalid_client` comes with a challenge where the client has used Basic (RFC 6749, section 5.2). */
const REFUSALS: ReadonlySet<string> = new Set([PAGE, 'invalid_client']);
