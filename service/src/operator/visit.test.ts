import { expect, it } from 'vitest';
import { requireOwnPage } from './visit.ts';

function isTaken(url: string, origin: string, host: string): boolean {
  try {
    requireOwnPage({ url }, { headers: { origin, host } });
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
