import { expect, it } from 'vitest';
import { returnAddress } from './return-address.ts';

const CODE = { attempt_id: 'a', completion_code: 'c' };
const REFUSED = { attempt_id: 'a', error: 'access_denied' };

it.each([
  ['https://app.example/back', CODE, 'query', '?attempt_id=a&completion_code=c'],
  ['https://app.example/back?a=b', REFUSED, 'query', '?a=b&attempt_id=a&error=access_denied'],
  ['https://app.example/back', CODE, 'fragment', '#attempt_id=a&completion_code=c'],
] as const)('%s is given %j in its %s', (base, members, codeIn, added) => {
  expect(returnAddress(base, members, codeIn)).toBe(`https://app.example/back${added}`);
});

it.each(['query', 'fragment'] as const)(
  'keeps nothing of these names that was in the address before, in its %s',
  (codeIn) => {
    const base = 'https://app.example/?error=x&attempt_id=1&completion_code=2&attempt_id=3&a=b';
    const address = new URL(returnAddress(base, CODE, codeIn));
    expect(address.searchParams.has('error')).toBe(false);
    expect(address.searchParams.getAll('attempt_id')).toEqual(codeIn === 'query' ? ['a'] : []);
    expect(address.searchParams.get('a')).toBe('b');
  },
);

it.each([
  'com.example.app:/in?next=%2Fa%20b&list[]=1&list[]=2&plus=a+b&empty=&flag&tilde=~&quote=%27',
  'https://app.example/in?next=%2Fa%20b&list[]=1&list[]=2&plus=a+b&empty=&flag&tilde=~&quote=%27',
  'com.example.app:/in?a=%c3%a9&&b=%3D%26',
])('leaves %s as it was listed', (base) => {
  expect(returnAddress(base, CODE)).toBe(`${base}&attempt_id=a&completion_code=c`);
  expect(returnAddress(base, CODE, 'fragment')).toBe(`${base}#attempt_id=a&completion_code=c`);
});

it.each(['error=x', '%65rror=x', 'error', 'attempt%5Fid=1', 'completion_code=2&error=3'])(
  'takes %s out, however it is written',
  (own) => {
    for (const query of [own, `a=%20&${own}`, `${own}&a=%20`]) {
      const kept = query === own ? '' : 'a=%20&';
      expect(returnAddress(`com.example.app:/in?${query}`, REFUSED)).toBe(
        `com.example.app:/in?${kept}attempt_id=a&error=access_denied`,
      );
    }
  },
);
