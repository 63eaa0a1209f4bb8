/** Tests the sign-in by browser, one address after another. */
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { decisionCall, exchangeCall, makeApp, type AppBench } from './support/apps.ts';
import { ORIGIN } from './support/engines.ts';
import { RELYING_PARTY } from './support/relying-party.ts';
import { answerCall, formCall, formOf, openSession, submit } from './support/sign-in.ts';

const CALLBACK = '/api/v2/oidc/callback';

async function opened(options: Parameters<typeof makeApp>[0] = {}, locale = 'en') {
  const bench = makeApp({ relyingParty: RELYING_PARTY, ...options });
  return { ...bench, ...(await openSession(bench.app, locale)) };
}

async function exchanged({ app }: AppBench, state: string): Promise<number> {
  return (await app.inject(exchangeCall({ state }))).statusCode;
}

/** Where a page that redirects leads. */
function ledTo({ headers }: { headers: { readonly refresh?: unknown } }): URL {
  expect(headers).not.toHaveProperty('location');
  return new URL(String(headers.refresh).replace(/^0;url=/, ''));
}

function expectPage(answer: { headers: object; body: string }, words: string): void {
  expect(answer.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
  expect(answer.body).toContain(words);
}

describe('GET /authservice/authorize', () => {
  it('shows the people, and who asks', async () => {
    const { app, page } = await opened();
    const answer = await app.inject(page);
    expect(answer.statusCode).toBe(200);
    expectPage(answer, 'Amal Salem Nasser Alnamuthaji');
    expect(answer.body).toContain('relying-party.example.test');
    expect(answer.body).toContain('data-testid="person-amal"');
  });

  it('is in the language of the session, and offers the other one', async () => {
    const { app, page } = await opened({}, 'ar');
    const arabic = (await app.inject(page)).body;
    expect(arabic).toContain('<html lang="ar" dir="rtl">');
    const link = /href="([^"]*ui_locales=en[^"]*)"/.exec(arabic)?.[1] ?? '';
    const english = await app.inject(link.replaceAll('&amp;', '&'));
    expect(english.body).toContain('<html lang="en" dir="ltr">');
  });

  it('has a policy that lets the form reach the provider alone', async () => {
    const { app, page } = await opened();
    const { headers } = await app.inject(page);
    expect(headers['content-security-policy']).toContain("form-action 'self';");
  });

  it('does not show the state', async () => {
    const { app, page, state } = await opened();
    const { body } = await app.inject(page);
    const shown = body.replaceAll(/<(?:input|a|form)\b[^>]*>/g, '');
    expect(shown).not.toContain(state.slice(0, 20));
  });

  it.each([
    ['scope', 'openid profile'],
    ['response_type', 'code'],
    ['response_mode', 'query'],
    ['client_id', 'https://somebody-else.example.test'],
    ['redirect_uri', 'https://somebody-else.example.test'],
    ['nonce', '0199a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b'],
    ['ui_locales', 'fr'],
    ['aud', 'https://somebody-else.example.test'],
    ['prompt', 'none'],
    ['max_age', '0'],
    ['state', 'A'.repeat(344)],
  ])(
    'does not know an address whose %s is another, or is missing, or there twice',
    async (name, value) => {
      const { app, page } = await opened();
      const [other, missing, twice] = [1, 2, 3].map(() => new URL(page, ORIGIN));
      other?.searchParams.set(name, value);
      missing?.searchParams.delete(name);
      twice?.searchParams.append(name, value);
      for (const url of [other, missing, twice]) {
        const answer = await app.inject(`${url?.pathname}${url?.search}`);
        expect(answer.statusCode).toBe(404);
        expectPage(answer, 'data-testid' in answer ? '' : '<h1>');
        expect(answer.body).not.toContain('person-amal');
      }
    },
  );

  it('has expired after five minutes', async () => {
    const { app, page, clock } = await opened();
    clock.advance(300_000);
    const answer = await app.inject(page);
    expect(answer.statusCode).toBe(410);
    expectPage(answer, 'The request has expired');
    expect(answer.body).toContain('This is a simulation.');
  });

  it('goes on where a script has approved, and ends where it has refused', async () => {
    const [one, other] = [await opened(), await opened()];
    for (const [bench, decision] of [
      [one, 'approve'],
      [other, 'refuse'],
    ] as const) {
      const [prompt] = bench.engine.prompts();
      await bench.app.inject(decisionCall(prompt?.id ?? '', { decision }));
    }
    expectPage(await one.app.inject(one.page), 'data-testid="continue"');
    const refused = await other.app.inject(other.page);
    expect(refused.statusCode).toBe(410);
    expectPage(refused, 'The request was refused');
  });

  it('is used up by the exchange', async () => {
    const bench = await opened();
    await bench.app.inject(answerCall(bench.state, 'approve'));
    expect(await exchanged(bench, bench.state)).toBe(200);
    const answer = await bench.app.inject(bench.page);
    expect(answer.statusCode).toBe(410);
    expectPage(answer, 'The sign-in is complete');
  });
});

describe('an approval on the page', () => {
  it('hands the browser to the provider’s own callback, and that one to the relying party', async () => {
    const bench = await opened();
    const answer = await bench.app.inject(answerCall(bench.state, 'approve', { person: 'hanae' }));
    expect(answer.statusCode).toBe(200);
    const { action, fields } = formOf(answer.body);
    expect(action).toBe(`${ORIGIN}${CALLBACK}`);
    expect(Object.keys(fields)).toEqual(['state', 'id_token']);
    expect(decodeJwt(fields['id_token'] ?? '')).toMatchObject({
      nonce: bench.nonce,
      borderNumber: '4000011001',
    });
    const back = await submit(bench.app, answer.body);
    expect(back.statusCode).toBe(200);
    expectPage(back, 'data-testid="onward"');
    expect(back.headers['content-security-policy']).toContain("form-action 'none';");
    const location = ledTo(back);
    expect(`${location.origin}${location.pathname}`).toBe(
      'https://service.example.test/api/v1/callback',
    );
    expect(Object.fromEntries(location.searchParams)).toEqual({ tenant: '1', state: bench.state });
    expect(await exchanged(bench, bench.state)).toBe(200);
  });

  it('is by the default person when nobody is named, and can be by an outcome’s', async () => {
    for (const [more, nin] of [
      [{}, '1000001101'],
      [{ person: 'outcome-60' }, '1900000060'],
    ] as const) {
      const { app, state } = await opened();
      const { body } = await app.inject(answerCall(state, 'approve', more));
      expect(decodeJwt(formOf(body).fields['id_token'] ?? '')).toMatchObject({ nin });
    }
  });

  it('can be sent again by a browser that reloads', async () => {
    const { app, state } = await opened();
    await app.inject(answerCall(state, 'approve', { person: 'hanae' }));
    const again = await app.inject(answerCall(state, 'refuse'));
    expect(formOf(again.body).fields['state']).toBe(state);
  });

  it('reaches the relying party by POST where that is set', async () => {
    const { app, state } = await opened({
      relyingParty: { ...RELYING_PARTY, returnMethod: 'POST' },
    });
    const page = await app.inject(answerCall(state, 'approve'));
    const back = await submit(app, page.body);
    expect(back.statusCode).toBe(200);
    expectPage(back, 'data-testid="continue"');
    // What the relying party answers is its own affair, so it can redirect to any host.
    expect(back.headers['content-security-policy']).toContain('form-action *;');
    expect(formOf(back.body)).toEqual({ action: RELYING_PARTY.returnUrl, fields: { state } });
  });

  it('ends on a page of its own where there is no relying party', async () => {
    const { app, state } = await opened({ relyingParty: null });
    const page = await app.inject(answerCall(state, 'approve'));
    const back = await submit(app, page.body);
    expect(back.statusCode).toBe(200);
    expectPage(back, 'The sign-in is complete');
  });
});

describe.each(['refuse', 'not_me'])('%s on the page', (decision) => {
  it('sends the browser back with the state alone, which stays worth nothing', async () => {
    const bench = await opened();
    const back = await bench.app.inject(answerCall(bench.state, decision));
    expect(back.statusCode).toBe(200);
    const { searchParams } = ledTo(back);
    expect(Object.fromEntries(searchParams)).toEqual({ tenant: '1', state: bench.state });
    expect(await exchanged(bench, bench.state)).toBe(401);
  });

  it('ends on a page of its own where there is no relying party', async () => {
    const { app, state } = await opened({ relyingParty: null });
    expectPage(await app.inject(answerCall(state, decision)), 'The request was refused');
  });

  it('is final', async () => {
    const { app, state } = await opened();
    await app.inject(answerCall(state, decision));
    const again = await app.inject(answerCall(state, 'approve'));
    expect(again.statusCode).toBe(410);
  });
});

describe('a form that is not the page’s', () => {
  it.each([
    ['an unknown state', { state: 'A'.repeat(344), decision: 'approve' }, 404],
    ['no state', { decision: 'approve' }, 404],
    ['no decision', { state: 'x' }, 404],
    ['a decision that the page does not offer', { state: 'x', decision: 'ignore' }, 404],
  ])('with %s is a page that says so', async (_what, fields, status) => {
    const { app } = await opened();
    const answer = await app.inject(formCall('/authservice/authorize?ui_locales=en', fields));
    expect(answer.statusCode).toBe(status);
    expectPage(answer, 'This request cannot be continued');
    const arabic = await app.inject('/authservice/authorize?ui_locales=ar');
    expect(answer.body).toContain('href="/authservice/authorize?ui_locales=ar"');
    expectPage(arabic, 'لا يمكن متابعة هذا الطلب');
    expect(arabic.body).toContain('href="/authservice/authorize?ui_locales=en"');
  });

  it('with a person whom nobody knows changes nothing', async () => {
    const bench = await opened();
    const answer = await bench.app.inject(answerCall(bench.state, 'approve', { person: 'nobody' }));
    expect(answer.statusCode).toBe(400);
    expect(bench.engine.prompts()).toHaveLength(1);
  });

  it('in JSON, with a field twice or too large is a page too', async () => {
    const { app, state } = await opened();
    const form = answerCall(state, 'approve');
    const json = { 'content-type': 'application/json' };
    for (const call of [
      { ...form, payload: '{}', headers: json },
      { ...form, payload: `${form.payload}&decision=refuse` },
      { ...form, payload: `${form.payload}&x=${'x'.repeat(20_000)}` },
    ]) {
      const answer = await app.inject(call);
      expect(answer.statusCode).toBe(404);
      expectPage(answer, 'This request cannot be continued');
    }
  });
});

describe('POST /api/v2/oidc/callback', () => {
  it.each(['x', 'a.b.c', 'eyJhbGciOiJub25lIn0.e30.'])('refuses the token %s', async (token) => {
    const { app, state } = await opened();
    await app.inject(answerCall(state, 'approve'));
    const answer = await app.inject(formCall(CALLBACK, { state, id_token: token }));
    expect(answer.statusCode).toBe(400);
    expectPage(answer, 'The sign-in did not succeed');
  });

  it('refuses the token of another session', async () => {
    const { app, state } = await opened();
    const other = await openSession(app);
    const page = await app.inject(answerCall(other.state, 'approve'));
    const fields = { state, id_token: formOf(page.body).fields['id_token'] ?? '' };
    expect((await app.inject(formCall(CALLBACK, fields))).statusCode).toBe(400);
  });

  it('knows no other state, and no other form', async () => {
    const { app } = await opened();
    const unknown = formCall(CALLBACK, { state: 'x', id_token: 'x' });
    expect((await app.inject(unknown)).statusCode).toBe(404);
    expect((await app.inject(formCall(CALLBACK, { state: 'x' }))).statusCode).toBe(404);
    expect((await app.inject(CALLBACK)).statusCode).toBe(404);
  });
});

describe('a bug', () => {
  it('is a page to the browser, and a line in the log', async () => {
    const { app, engine, page, logged } = await opened();
    engine.authorize = () => {
      throw new Error('a bug');
    };
    const answer = await app.inject(page);
    expect(answer.statusCode).toBe(500);
    expectPage(answer, 'The sign-in did not succeed');
    expect(logged()).toContain('a bug');
  });
});
