import { describe, expect, it } from 'vitest';
import { WEBHOOK_EVENTS } from '../../webhooks/webhook.ts';
import { readWebhooks } from './client-webhooks.ts';

const SECRET = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
const HOOK = { url: 'https://shop.example.test/hook', secrets: [SECRET] };

function read(listed: unknown) {
  const faults: string[] = [];
  const receivers = readWebhooks('shop', listed, (fault) => void faults.push(fault));
  return { receivers, faults };
}

describe('the member "webhooks" of a client', () => {
  it('gives each receiver, with all events where none are named', () => {
    const { receivers, faults } = read([HOOK, { ...HOOK, url: 'http://127.0.0.1:9/' }]);
    expect(faults).toEqual([]);
    expect(receivers.map(({ events }) => events)).toEqual([WEBHOOK_EVENTS, WEBHOOK_EVENTS]);
    expect(new Set(receivers.map(({ id }) => id)).size).toBe(2);
    expect(receivers[0]?.secrets[0]?.reveal()).toBe(SECRET);
    expect(JSON.stringify(receivers)).not.toContain(SECRET);
    expect(read(undefined)).toEqual({ receivers: [], faults: [] });
  });

  it('another secret is another receiver to whoever compares, and the same one to the store', () => {
    const [one] = read([HOOK]).receivers;
    const other = `whsec_${Buffer.alloc(24, 2).toString('base64')}`;
    const [two] = read([{ ...HOOK, secrets: [other] }]).receivers;
    expect(one?.id).toBe(two?.id);
    expect(JSON.stringify(one)).not.toBe(JSON.stringify(two));
  });

  it('says of two that are no addresses nothing else', () => {
    const { faults } = read([1, 2].map((n) => ({ ...HOOK, url: `http://a.test/${n}` })));
    expect(faults).toHaveLength(2);
  });

  it.each([
    ['no list', {}, 'must be a list'],
    ['no address', [{ secrets: [SECRET] }], '"url" must be'],
    ['http elsewhere', [{ ...HOOK, url: 'http://shop.example.test/' }], '"url" must be'],
    ['a password', [{ ...HOOK, url: 'https://a:b@shop.example.test/' }], '"url" must be'],
    ['no secret', [{ url: HOOK.url }], '"secrets" must be'],
    ['the same secret twice', [{ ...HOOK, secrets: [SECRET, SECRET] }], 'are the same'],
    ['a secret as a name', [{ ...HOOK, [SECRET]: 1 }], 'unknown: a name that may be a secret'],
    [
      'one address in two spellings',
      [HOOK, { ...HOOK, url: 'https://shop.example.test:443/./hook' }],
      'two have the same "url"',
    ],
    ['three secrets', [{ ...HOOK, secrets: [SECRET, SECRET, SECRET] }], '"secrets" must be'],
    ['a short secret', [{ ...HOOK, secrets: ['whsec_YWJj'] }], 'random bytes'],
    ['a secret without its mark', [{ ...HOOK, secrets: ['A'.repeat(32)] }], 'random bytes'],
    ['an unknown event', [{ ...HOOK, events: ['attempt.begun'] }], '"events" must be'],
    ['no event', [{ ...HOOK, events: [] }], '"events" must be'],
    ['a misspelt member', [{ ...HOOK, secret: SECRET }], 'unknown: secret'],
    ['one address twice', [HOOK, HOOK], 'the same "url"'],
    [
      'too many',
      Array.from({ length: 5 }, (_, n) => ({ ...HOOK, url: `${HOOK.url}${n}` })),
      'at most',
    ],
  ])('refuses %s, and quotes no secret', (_, listed, words) => {
    const { faults } = read(listed);
    expect(faults.join('\n')).toContain(words);
    expect(faults.join('\n')).not.toContain(SECRET);
    expect(faults.join('\n')).not.toContain('YWJj');
  });
});
