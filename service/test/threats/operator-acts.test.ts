import { describe, expect, it } from 'vitest';
import { addPerson, shareOperatorScene, signInAs } from '../support/operator/operator-scene.ts';
import { runMiftah } from '../support/programs/operator.ts';

/** What an operator does about a person, and who may. */

const scene = shareOperatorScene();

const REASON = 'asked for by the user, ticket 4711';
const ACTS = ['disable', 'enable', 'revoke', 'export'] as const;
const ROWS = 'user.disabled,user.enabled,tokens.revoked_all,user.exported';

interface Row {
  readonly action: string;
  readonly userId: number | null;
  readonly actor: string | null;
  readonly reason: string | null;
}

async function rows(): Promise<Row[]> {
  const { out } = await runMiftah(['audit', '--json', '--action', ROWS], scene().settings);
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}

let people = 0;

/** Somebody of whom nothing is known yet, with one token. */
async function somebody() {
  people += 1;
  const nin = `10660${String(people).padStart(5, '0')}`;
  const { userId } = await addPerson(scene(), { nin, sub: nin });
  return { nin, place: `/operator/users/${userId}`, userId };
}

const shown = async (userId: number) =>
  (await runMiftah(['user', 'show', String(userId)], scene().settings)).out;

describe('threat 135: an operator does what their role may not, to a person', () => {
  it.each([
    ['viewer', []],
    ['support', ['disable', 'revoke']],
    ['admin', [...ACTS]],
  ] as const)('a %s does %j and nothing else', async (role, may) => {
    const { place } = await somebody();
    const operator = await signInAs(scene(), role);
    const { html } = await operator.open(place);
    for (const act of ACTS) {
      const before = (await rows()).length;
      const { status } = await operator.post(`${place}/${act}`, { reason: REASON });
      const isDone = (may as readonly string[]).includes(act);
      expect([act, status === 403]).toEqual([act, !isDone]);
      expect((await rows()).length - before, act).toBe(isDone ? 1 : 0);
      // The user is enabled, so that there is nothing to enable.
      const isOffered = html.includes(`${place}/${act}?`);
      expect(isOffered, act).toBe(isDone && act !== 'enable');
    }
  });

  it('without a reason that may be kept nothing is done', async () => {
    const { nin, place, userId } = await somebody();
    const operator = await signInAs(scene(), 'admin');
    const before = await rows();
    for (const reason of ['', '   ', `about ${nin}`, 'x'.repeat(201), 'two\nlines']) {
      for (const act of ACTS) {
        const { status, html } = await operator.post(`${place}/${act}`, { reason });
        expect([status, html.includes('role="alert"')], `${act} ${reason}`).toEqual([200, true]);
        expect(html).not.toContain(nin);
      }
    }
    expect(await rows()).toEqual(before);
    expect(await shown(userId)).toContain('disabled  no');
  });

  it('what is done holds at once, and its row has the operator and the reason', async () => {
    const { nin, place, userId } = await somebody();
    const support = await signInAs(scene(), 'support');
    const admin = await signInAs(scene(), 'admin');
    const before = (await rows()).length;
    const done = await support.post(`${place}/disable`, { reason: REASON });
    expect([done.status, done.location?.searchParams.get('done')]).toEqual([303, 'disable']);
    expect(await shown(userId)).not.toContain('disabled  no');
    const ofDisabled = (await support.open(`${place}?locale=en`)).html;
    expect(ofDisabled).toContain('>stopped: the user is disabled<');
    expect(ofDisabled).not.toContain('>active<');
    await admin.post(`${place}/enable`, { reason: REASON });
    expect(await shown(userId)).toContain('disabled  no');
    await support.post(`${place}/revoke`, { reason: REASON });
    expect((await support.open(`${place}?locale=en`)).html).toContain('>revoked<');
    const exported = await admin.post(`${place}/export`, { reason: REASON });
    expect(exported.headers.get('content-disposition')).toContain('attachment');
    expect(exported.headers.get('cache-control')).toBe('no-store');
    expect(JSON.parse(exported.html)).toMatchObject({ user: { id: userId, nationalId: nin } });
    const written = (await rows()).slice(before);
    expect(written.map(({ action, reason }) => [action, reason])).toEqual([
      ['user.disabled', REASON],
      ['user.enabled', REASON],
      ['tokens.revoked_all', REASON],
      ['user.exported', REASON],
    ]);
    for (const { actor } of written) expect(actor).toMatch(/^operator:link of uid:/);
  });

  it('a search by number has its reason too, and none that names a person', async () => {
    const { nin, userId } = await somebody();
    const operator = await signInAs(scene(), 'support');
    const search = (reason: string) =>
      operator.post('/operator/number', { national_id: nin, reason });
    expect((await search(`of ${nin}`)).status).toBe(200);
    expect((await search(REASON)).location?.pathname).toBe(`/operator/users/${userId}`);
    const { out } = await runMiftah(['audit', '--action', 'user.searched'], scene().settings);
    expect(out.split('\n').filter((line) => line.includes(REASON))).toHaveLength(1);
    expect(out).not.toContain(nin);
  });
});
