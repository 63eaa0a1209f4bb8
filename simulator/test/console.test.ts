import { describe, expect, it } from 'vitest';
import { consoleFiles } from '@miftah/pages';
import { makeApp } from './support/apps.ts';

/** The console's page as it is served. What it does in a browser is tested with the service. */

describe('GET /console', () => {
  it('is one script and one style, and the policy allows that script alone', async () => {
    const { app } = makeApp();
    const { body, headers, statusCode } = await app.inject('/console');
    expect(statusCode).toBe(200);
    const [, path = '', integrity = ''] =
      /<script [^>]*src="([^"]+)" integrity="([^"]+)"/.exec(body) ?? [];
    expect(path).toMatch(/^\/assets\/console-[0-9a-f]{12}\.js$/);
    expect(body).not.toMatch(/<script(?! type="module" src=)|<style|\sstyle=|\son[a-z]+=/);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain(`script-src '${integrity}'; connect-src 'self'; style-src 'self'`);
    expect(policy).not.toContain('unsafe');
    expect(headers['cache-control']).toBe('no-store');
  });

  it.each(['script', 'style'] as const)('has its %s for ever under its name', async (kind) => {
    const { app } = makeApp();
    const asset = consoleFiles()?.[kind];
    const { rawPayload, headers } = await app.inject(asset?.path ?? '');
    expect(rawPayload.equals(asset?.read() ?? Buffer.of())).toBe(true);
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': asset?.contentType,
      'x-content-type-options': 'nosniff',
    });
  });

  it('has nothing under another name', async () => {
    const { app } = makeApp();
    for (const name of ['console-0123456789ab.js', 'console-', 'console-..%2fkey.svg']) {
      expect((await app.inject(`/assets/${name}`)).statusCode).toBe(404);
    }
  });

  it.each([
    ['/console', { 'accept-language': 'fr' }, 'ar', 'default'],
    ['/console', { 'accept-language': 'en-GB' }, 'en', 'default'],
    ['/console', { 'accept-language': 'en_US' }, 'en', 'default'],
    ['/console', { 'accept-language': 'enm' }, 'ar', 'default'],
    ['/console?locale=ar', { 'accept-language': 'en' }, 'ar', 'default'],
    ['/console?locale=en&scope=ours', {}, 'en', 'ours'],
    ['/console?locale=xx', { 'accept-language': 'en' }, 'en', 'default'],
    ['/console?locale=xx&locale=en', {}, 'ar', 'default'],
    ['/simulator/phone?locale=xx', {}, 'ar', 'default'],
  ])(
    '%s is in the language and the scope that are asked for',
    async (url, asked, locale, scope) => {
      const { app } = makeApp();
      const { body } = await app.inject({ url, headers: asked });
      expect(body).toContain(`<html lang="${locale}"`);
      expect(body).toContain(`data-scope="${scope}" data-language="${locale}"`);
    },
  );

  it.each([
    ['/console/attempts/0198-a', '/console#/attempts/0198-a'],
    ['/console/attempts/a%2Fb%0d?scope=ours', '/console?scope=ours#/attempts/a%2Fb%0d'],
  ])('%s is led to the address that was meant', async (guessed, meant) => {
    const { statusCode, headers } = await makeApp().app.inject(guessed);
    expect([statusCode, headers.location]).toEqual([302, meant]);
  });

  it.each(['/console', '/simulator/phone'])(
    '%s says that the name of a scope is wrong, and repeats nothing of it',
    async (path) => {
      const { app } = makeApp();
      for (const scope of ['b%20a%20d', '%3Cb%3E', 'A', '', 'a&scope=b', 'x'.repeat(65)]) {
        const answer = await app.inject(`${path}?locale=en&scope=${scope}`);
        expect(answer.statusCode, scope).toBe(404);
        expect(answer.body).toContain('<html lang="en"');
        expect(answer.body).toContain('This is no name of a scope');
        expect(answer.body).not.toMatch(/b a d|<b>|x{65}/);
        expect(answer.body).toContain(`href="${path}?locale=en"`);
      }
      const { body } = await app.inject(`${path}?scope=b%20a%20d`);
      expect(body).toContain('اسم النطاق غير صحيح');
    },
  );
});
