import { renderToString } from 'preact-render-to-string';
import { h } from 'preact';
import { describe, expect, it } from 'vitest';
import { isolated, isolatedName, isolatedText, withCodes } from './direction.ts';

describe('a Latin stretch in an Arabic sentence', () => {
  it.each([
    ['تقع تحت /api/v1 من PUBLIC_URL.', ['/api/v1', 'PUBLIC_URL']],
    ['في الترويسة Authorization: Bearer mfk_... ولا يغني', ['Authorization: Bearer mfk_...']],
    ['اقرأ GET /status/{attempt_id} إلى أن', ['GET /status/{attempt_id}']],
    ['في الترويسة Authorization: Bearer. ولا تضعه', ['Authorization: Bearer']],
    ['لدى المزوّد (PROVIDER_MFA_CALLBACK).', ['PROVIDER_MFA_CALLBACK']],
    ['وأقلّه {}.', ['{}']],
    ['مع Content-Type: application/json.', ['Content-Type: application/json']],
    ['انتظر 60 ثانية.', []],
  ])('is isolated as a whole: %s', (sentence, codes) => {
    const html = renderToString(h('p', null, isolated(sentence, 'ar')));
    const found = [...html.matchAll(/<bdi dir="ltr">([^<]*)<\/bdi>/g)].map(([, code]) => code);

    expect(found).toEqual(codes);
    expect(html.replaceAll(/<[^>]*>/g, '')).toBe(sentence);
  });

  it('is isolated by signs where there are no elements', () => {
    expect(isolatedText('وصف /api/v1.', 'ar')).toBe('وصف \u2066/api/v1\u2069.');
    expect(isolatedName('Login')).toBe('\u2068Login\u2069');
  });

  it('needs nothing in English', () => {
    const sentence = 'Send it in Authorization: Bearer mfk_...';

    expect(isolated(sentence, 'en')).toEqual([sentence]);
    expect(isolatedText(sentence, 'en')).toBe(sentence);
  });
});

describe('a piece of code in a text about errors', () => {
  it.each([
    ['Send it in Authorization: Bearer mfk_... An API token', ['Authorization: Bearer mfk_...']],
    [
      'Read GET /status/{attempt_id} until token_ready',
      ['GET /status/{attempt_id}', 'token_ready'],
    ],
    ['to POST /complete-mfa. Send {}.', ['POST /complete-mfa', '{}']],
    ['a JSON body as Content-Type: application/json.', ['Content-Type: application/json']],
    ['below /api/v1 of PUBLIC_URL, at /openapi.json.', ['/api/v1', 'PUBLIC_URL', '/openapi.json']],
    ['Wait the seconds in Retry-After: this sign-in is in UTF-8.', ['Retry-After']],
    ['في الترويسة Authorization: Bearer. ولا تضعه', ['Authorization: Bearer']],
    ['أرسل JSON إلى POST /token/{attempt_id}.', ['POST /token/{attempt_id}']],
  ])('is code: %s', (sentence, codes) => {
    const locale = /\p{Script=Arabic}/u.test(sentence) ? 'ar' : 'en';
    const html = renderToString(h('p', null, withCodes(sentence, locale)));
    const found = [...html.matchAll(/<code dir="ltr">([^<]*)<\/code>/g)].map(([, code]) => code);

    expect(found).toEqual(codes);
    expect(html.replaceAll(/<[^>]*>/g, '')).toBe(sentence);
  });
});
