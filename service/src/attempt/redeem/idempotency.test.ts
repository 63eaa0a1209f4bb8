import { describe, expect, it } from 'vitest';
import { makeAttemptId } from '../../values/ids.ts';
import {
  deriveTokenSecret,
  hasSameBody,
  hasSameKey,
  isIdempotencyKey,
  isReplayOpen,
  REPLAY_TRIES,
  REPLAY_WINDOW_MS,
  sealRedemption,
  type RedemptionRequest,
} from './idempotency.ts';

const SERVER_KEY = new Uint8Array(32).fill(1);
const OTHER_SERVER_KEY = new Uint8Array(32).fill(2);
const KEY = 'an-idempotency-key-of-22';
const NOW = 1_800_000_000_000;

const request: RedemptionRequest = {
  attemptId: makeAttemptId(NOW, new Uint8Array(10)),
  attemptToken: 'token',
  deviceName: null,
  completionCode: null,
};
const otherAttempt = { ...request, attemptId: makeAttemptId(NOW + 1, new Uint8Array(10)) };
const seal = sealRedemption(SERVER_KEY, request, KEY, 'salt');

describe('a key', () => {
  it.each(['!'.repeat(22), '~'.repeat(255), 'a9c6b6a2-3a0f-4a53-9b65-0f3c1b7a4a10'])(
    'may be %j',
    (key) => expect(isIdempotencyKey(key)).toBe(true),
  );

  it.each([
    '',
    'x'.repeat(21),
    'x'.repeat(256),
    `${'x'.repeat(22)} `,
    `${'x'.repeat(22)}\n`,
    'é'.repeat(22),
  ])('may not be %j', (key) => expect(isIdempotencyKey(key)).toBe(false));
});

describe('a seal', () => {
  it('holds neither the key nor the body nor the token', () => {
    const text = JSON.stringify(
      sealRedemption(SERVER_KEY, { ...request, deviceName: 'device' }, KEY, 'salt'),
    );
    for (const secret of [KEY, 'token', 'device']) expect(text).not.toContain(secret);
  });

  it('knows its key, for its own attempt and server', () => {
    expect(hasSameKey(SERVER_KEY, seal, request, KEY)).toBe(true);
    expect(hasSameKey(SERVER_KEY, seal, request, `${KEY}x`)).toBe(false);
    expect(hasSameKey(SERVER_KEY, seal, otherAttempt, KEY)).toBe(false);
    expect(hasSameKey(OTHER_SERVER_KEY, seal, request, KEY)).toBe(false);
  });

  it('knows its body, member by member, and absent from empty', () => {
    expect(hasSameBody(SERVER_KEY, seal, { ...request })).toBe(true);
    const others: Partial<RedemptionRequest>[] = [
      { attemptToken: 'other' },
      { deviceName: '' },
      { deviceName: 'null' },
      { completionCode: '' },
      { deviceName: 'a', completionCode: 'b' },
    ];
    for (const other of others) {
      expect(hasSameBody(SERVER_KEY, seal, { ...request, ...other })).toBe(false);
    }
  });

  it('keeps a device name apart from a completion code of the same text', () => {
    const named = sealRedemption(SERVER_KEY, { ...request, deviceName: 'x' }, KEY, 'salt');
    expect(hasSameBody(SERVER_KEY, named, { ...request, completionCode: 'x' })).toBe(false);
  });
});

describe('the window', () => {
  it('is open for 60 seconds, half-open', () => {
    expect(isReplayOpen(seal, NOW, NOW)).toBe(true);
    expect(isReplayOpen(seal, NOW, NOW + REPLAY_WINDOW_MS - 1)).toBe(true);
    expect(isReplayOpen(seal, NOW, NOW + REPLAY_WINDOW_MS)).toBe(false);
  });

  it('is open up to the fourth wrong key', () => {
    expect(isReplayOpen({ ...seal, misses: REPLAY_TRIES - 1 }, NOW, NOW)).toBe(true);
    expect(isReplayOpen({ ...seal, misses: REPLAY_TRIES }, NOW, NOW)).toBe(false);
  });
});

const derive = (changes: Partial<RedemptionRequest> = {}, key = KEY, salt = 'salt') =>
  Buffer.from(deriveTokenSecret(SERVER_KEY, { ...request, ...changes }, key, salt)).toString('hex');

describe('the secret of the token', () => {
  it('is 32 bytes, the same each time', () => {
    expect(derive()).toMatch(/^[0-9a-f]{64}$/);
    expect(derive()).toBe(derive());
  });

  it('takes server key, attempt, token, key and salt together', () => {
    const others = [
      derive({ attemptId: otherAttempt.attemptId }),
      derive({ attemptToken: 'other' }),
      derive({}, `${KEY}x`),
      derive({}, KEY, 'other salt'),
      Buffer.from(deriveTokenSecret(OTHER_SERVER_KEY, request, KEY, 'salt')).toString('hex'),
    ];
    expect(new Set([derive(), ...others]).size).toBe(6);
  });

  it('can not be got by moving characters from one part to the next', () => {
    expect(derive({ attemptToken: 'token1' }, '2key')).not.toBe(
      derive({ attemptToken: 'token' }, '12key'),
    );
  });
});
