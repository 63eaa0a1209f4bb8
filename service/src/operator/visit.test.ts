import { describe, expect, it } from 'vitest';
import { Secret } from '../values/secret.ts';
import { requireOwnOrigin, roleOf } from './visit.ts';

function isTaken(url: string, origin: string, host: string): boolean {
  try {
    requireOwnOrigin({ url }, { headers: { origin, host } });
    return true;
  } catch {
    return false;
  }
}

it('where the pages are over https, a form of the same host over http is of another site', () => {
  const url = 'https://operators.example';
  const host = 'operators.example';
  expect(isTaken(url, url, host)).toBe(true);
  expect(isTaken(url, 'https://other.example', 'other.example')).toBe(true);
  expect(isTaken(url, `http://${host}`, host)).toBe(false);
  expect(isTaken(url, `http://${host}:8080`, `${host}:8080`)).toBe(false);
  expect(isTaken('http://127.0.0.1:3010', 'http://localhost:3010', 'localhost:3010')).toBe(true);
});

describe('a session of before a change of the settings', () => {
  const issuer = 'https://login.example';
  const roles = {
    subjects: new Map([['1001', 'admin' as const]]),
    claim: 'groups',
    groups: new Map([['staff', 'support' as const]]),
    scopes: [],
  };
  const people = { issuer, clientId: 'a', clientSecret: new Secret('b'), roles: () => roles };
  const proven = { issuer, subject: '1001', claim: 'groups', groups: ['staff'] };

  it('of another provider has no role, whatever its subject', () => {
    expect(roleOf(people, proven)).toBe('admin');
    expect(roleOf(people, { ...proven, issuer: 'https://other.example' })).toBe(null);
  });

  it('with groups of another claim has none of them', () => {
    expect(roleOf(people, { ...proven, subject: '2' })).toBe('support');
    expect(roleOf(people, { ...proven, subject: '2', claim: 'teams' })).toBe(null);
  });
});
