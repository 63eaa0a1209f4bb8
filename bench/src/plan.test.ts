import { expect, it } from 'vitest';
import { modeOf } from './plan.ts';

it.each([
  [[], 'rates'],
  [['--brief'], 'rates'],
  [['--quick'], 'quick'],
  [['--postgres'], 'engines'],
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
  expect(() => modeOf(args)).toThrow('--quick, --postgres, --profile, --growth');
});
