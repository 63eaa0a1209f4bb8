import { describe, expect, it } from 'vitest';
import { generators } from '../../scripts/test-packages.mjs';
import { atLength } from '../../scripts/test-length.ts';
import { shareListening } from '../../service/test/support/drive/drive.ts';
import { AMAL } from '../../service/test/support/service/login.ts';
import { WalkingBrowser } from '../../service/test/support/service/walking-browser.ts';
import { checkTypes, generate, generated, GENERATORS, lint, takeDocuments } from './generate.ts';
import type { Calls, Started } from './calls.ts';

/**
 * The two OpenAPI documents, read by programs of others: a linter, and generators of clients. What
 * they make signs people in.
 */

const KEY = 'mfk_test_simulator';
const MODES = [
  { mode: 'plain', settings: {} },
  { mode: 'strict', settings: { STRICT: 'yes', DOCS: 'on' } },
] as const;
const TRIED = atLength(MODES, MODES.slice(1));

const isReady = generators.has();

describe.each(TRIED)('the documents in $mode mode', ({ mode, settings }) => {
  const instance = shareListening(settings);
  let made: Promise<string> | null = null;
  const documents = () => (made ??= takeDocuments(mode, instance().origin));
  let clients: Promise<void> | null = null;
  const folderOfClients = async () => {
    const folder = await documents();
    await (clients ??= generate(folder, instance().origin));
    return folder;
  };

  it.each(['service.json', 'simulator.json'])(
    '%s has no fault that a linter knows',
    async (file) => {
      expect(await lint(await documents(), file)).toEqual([]);
    },
  );

  it('become clients whose types fit how they are called', async () => {
    if (isReady) await checkTypes(await folderOfClients());
  });

  describe.each(GENERATORS)('a client made by %s', (generator) => {
    async function calls(): Promise<Calls> {
      const callsOf = await generated(await folderOfClients(), generator);
      return callsOf(instance().origin, KEY);
    }

    it('signs a person in by phone, and out', async () => {
      if (!isReady) return;
      const client = await calls();
      const started = await client.start(AMAL);
      await client.approve(started);
      expect(await client.statusAfterWait(started)).toBe('authenticated');
      await expectSignedIn(client, started, null);
    });

    it('signs a person in by browser, and out', async () => {
      if (!isReady) return;
      const client = await calls();
      const started = await client.start(null);
      const code = await comeBack(client, started);
      expect(await client.statusAfterWait(started)).toBe('authenticated');
      await expectSignedIn(client, started, code);
    });
  });

  /** Goes to the page of the sign-in, approves by the API, and comes back. */
  async function comeBack(client: Calls, started: Started): Promise<string | null> {
    const browser = new WalkingBrowser(instance().service);
    const { url } = await browser.walk(started.authorization_url ?? '');
    await client.approve(started);
    if (mode === 'plain') return null;
    const state = (url.searchParams.get('state') ?? '').replaceAll(' ', '+');
    const back = new URL('/api/v1/callback', instance().origin);
    back.searchParams.set('state', state);
    const returned = await browser.walk(back);
    return returned.url.searchParams.get('completion_code');
  }
});

async function expectSignedIn(client: Calls, started: Started, code: string | null): Promise<void> {
  const { token, expires_at } = await client.redeem(started, code);
  expect(expires_at).toMatch(/\+00:00$/);
  expect(await client.userOf(token)).toMatchObject({ name: expect.any(String) as string });
  expect(await client.countDevices(token, 1)).toBe(1);
  await client.signOut(token);
  await expect(client.userOf(token)).rejects.toThrow('refused');
}
