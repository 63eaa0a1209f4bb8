import { describe, expect, it } from 'vitest';
import { InvalidRedirectUri } from 'oidc-provider/lib/helpers/errors.js';
import type { Context } from 'oidc-provider/lib/provider.js';
import { renderError } from './error-page.ts';

const AUTHORIZE = '/openid/authorize';
const REQUEST_ID = '01900000-0000-7000-8000-000000000000';

function pageFor(
  url: string,
  method = 'GET',
  tell: string | null = null,
  error: unknown = new InvalidRedirectUri(),
): string {
  const { searchParams } = new URL(url, 'http://login.example.test');
  const answer = { type: '', body: '', set: () => undefined };
  const context = {
    ...answer,
    response: { get: () => REQUEST_ID },
    query: Object.fromEntries(searchParams),
    headers: {},
    path: url.split('?')[0],
    req: { url, method },
  } as unknown as Context;
  const render = renderError(tell === null ? null : () => tell, [AUTHORIZE]);
  render(context, {}, error);
  return String(context.body);
}

const REQUEST = `${AUTHORIZE}?client_id=portal&redirect_uri=https%3A%2F%2Felsewhere.example.test`;

describe('the page for a request that can not be led back', () => {
  it('shows nothing of the request where people are real', () => {
    const shown = pageFor(REQUEST).replaceAll(/<[^>]*>/g, '');
    expect(shown).not.toMatch(/elsewhere|portal/);
  });

  it('has the id of the request, for support', () => {
    const page = pageFor(`${REQUEST}&ui_locales=en`).replaceAll('<wbr/>', '');
    expect(page).toContain(`For support: <code dir="ltr">${REQUEST_ID}</code>`);
  });

  it('has no reason for an error of ours', () => {
    expect(pageFor(REQUEST, 'GET', 'the reason', new TypeError())).not.toContain('the reason');
  });

  it('gives a developer the reason, as text', () => {
    expect(pageFor(REQUEST, 'GET', 'not <b>"one"')).toContain('not &lt;b>');
  });

  it.each([
    ['ar', 'للمطوّرين'],
    ['en', 'For developers'],
  ])('says what to do in the language of the page, where there is a reason, in %s', (...given) => {
    const [locale, words] = given;
    const url = `${REQUEST}&ui_locales=${locale}`;
    expect(pageFor(url, 'GET', 'why')).toMatch(new RegExp(`${words}.*CLIENTS_FILE`));
    expect(pageFor(url)).not.toContain(words);
  });

  it.each([
    ['ar', 'السبب كما في السجل، وهو بالإنجليزية:'],
    ['en', 'The reason, as the log has it:'],
  ])('says whose words the reason is, and leads on, where nobody is real: in %s', (...given) => {
    const [locale, words] = given;
    const url = `${REQUEST}&ui_locales=${locale}`;
    const told = pageFor(url, 'GET', 'why');
    for (const text of [words, `href="/?locale=${locale}"`, `href="/console?locale=${locale}"`]) {
      expect(told).toContain(text);
      expect(pageFor(url)).not.toContain(text);
    }
    expect(told).toContain('class="banner"');
    expect(pageFor(url)).not.toContain('class="banner"');
  });

  it('leads to the same request in the other language', () => {
    expect(pageFor(REQUEST)).toContain(`${REQUEST.replace('&', '&amp;')}&amp;ui_locales=en`);
  });

  it.each([
    [`${AUTHORIZE}/uid`, 'GET'],
    [AUTHORIZE, 'POST'],
  ])('leads nowhere from %s by %s', (url, method) => {
    expect(pageFor(url, method)).not.toContain('href="/openid');
    expect(pageFor(url, method)).not.toContain('callback');
  });
});
