import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { modeOf, USAGE } from './plan.ts';

it.each([
  [[], 'rates'],
  [['--brief'], 'rates'],
  [['--quick'], 'quick'],
  [['--postgres'], 'engines'],
  [['--live'], 'live'],
  [['--openid'], 'openid'],
  [['--profile'], 'profile'],
  [['--growth'], 'growth'],
  [['--growth-long'], 'growth'],
  [['--streams'], 'streams'],
  [['--kit'], 'kit'],
  [['--soak'], 'soak'],
  [['--soak-long'], 'soak'],
] as const)('%j measures %s', (args, kind) => expect(modeOf(args).kind).toBe(kind));

it('keeps no figures of a brief run', () => {
  expect(modeOf(['--brief'])).toMatchObject({ kept: false });
  expect(modeOf([])).toMatchObject({ kept: true });
});

it.each([[['--fast']], [['--quick', '--growth']], [['quick']]])('%j is refused', (args) => {
  expect(() => modeOf(args)).toThrow('--quick, --postgres, --live, --openid, --profile, --growth');
});

it('the page on performance names each of them', () => {
  const page = readFileSync(new URL('../../docs/performance.md', import.meta.url), 'utf8');
  const names = USAGE.match(/--[\w-]+/g) ?? [];
  expect(names).toContain('--soak-long');
  expect(names.filter((name) => !new RegExp(`\`[^\`]*${name}\``).test(page))).toEqual([]);
});
