import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../../test/support/any-character.ts';
import { START, SeededRandom } from '../../../test/support/fakes.ts';
import { LOCALES } from '../locale.ts';
import { authorizationFor, hashState } from './session.ts';
import { defaultSettings } from '../settings.ts';

const NAMES = [
  'scope',
  'response_type',
  'response_mode',
  'client_id',
  'redirect_uri',
  'nonce',
  'ui_locales',
  'aud',
  'prompt',
  'max_age',
  'state',
];

/** What may stand in a part of an address: plain, or as the bytes of any character in hexadecimal. */
const part = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...Array.from("az09-._~!$&'()*+,;=:@/?")),
    anyCharacter.map((character) => encodeURIComponent(character)),
  ),
});
const anyAddress = fc
  .tuple(fc.webAuthority({ withPort: true }), part, part, part)
  .map(([host, path, query, fragment]) => `https://${host}/${path}?${query}#${fragment}`);

describe('the authorization address', () => {
  it('carries exactly the eleven parameters, whatever the addresses in it look like', () => {
    fc.assert(
      fc.property(
        anyAddress,
        anyAddress,
        fc.constantFrom(...LOCALES),
        fc.integer({ min: 0, max: 4_102_444_800_000 }),
        fc.string(),
        (clientId, audience, locale, now, seed) => {
          const settings = { ...defaultSettings('https://id.example.test'), clientId, audience };
          const { url, state, nonce } = authorizationFor(
            locale,
            settings,
            new SeededRandom(seed),
            now,
          );
          const { origin, pathname, searchParams } = new URL(url);
          expect(`${origin}${pathname}`).toBe('https://id.example.test/authservice/authorize');
          expect([...searchParams.keys()]).toEqual(NAMES);
          expect(Object.fromEntries(searchParams)).toEqual({
            scope: 'openid',
            response_type: 'id_token',
            response_mode: 'form_post',
            client_id: clientId,
            redirect_uri: 'https://id.example.test/api/v2/oidc/callback',
            nonce,
            ui_locales: locale,
            aud: audience,
            prompt: 'login',
            max_age: String(Math.floor(now / 1000)),
            state,
          });
        },
      ),
      { numRuns: 40 },
    );
  });

  it('has a state of 344 characters of Base64 that survives the address', () => {
    const { state, url } = authorizationFor(
      'ar',
      defaultSettings('http://x'),
      new SeededRandom(),
      START,
    );
    expect(state).toMatch(/^[A-Za-z0-9+/]{342}==$/);
    expect(Buffer.from(state, 'base64')).toHaveLength(256);
    expect(url).not.toMatch(/state=[^&]*[+/]/);
  });

  it('hashes the characters of the state, not the bytes behind them', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 256, maxLength: 256 }), (bytes) => {
        const state = Buffer.from(bytes).toString('base64');
        const expected = createHash('sha256').update(Buffer.from(state)).digest('base64');
        expect(hashState(state)).toBe(expected);
        expect(hashState(state)).toHaveLength(44);
      }),
    );
  });
});
