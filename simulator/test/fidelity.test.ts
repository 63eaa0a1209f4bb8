import { describe, expect, it } from 'vitest';
import { behaviourOf, ONE_OF_EACH, PROBES, SIGN_IN } from '../src/fidelity/card.ts';

const SIDE = { requestId: '0199a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b', service: 'Login' };

describe('the questions of a comparison', () => {
  it.each([...PROBES, SIGN_IN])('$name: each behaviour is in the fidelity card', (probe) => {
    const said = [probe.what, ...(probe.points ?? []).map(({ what }) => what)];
    for (const what of said) expect(behaviourOf(probe.where, what).what).toContain(what);
  });

  it('a behaviour that is not there is an error', () => {
    expect(() => behaviourOf('keys', 'none such')).toThrow('none such');
  });

  it('ask no person for anything, unless an identity is named', () => {
    const asked = PROBES.flatMap(({ request }) => request({ ...SIDE, identity: null }) ?? []);
    expect(asked.filter(({ path }) => path.startsWith('/api/v1/mfa/request?'))).toEqual([]);
    expect(asked.length).toBeLessThan(20);
    const all = PROBES.flatMap(({ request }) => request({ ...SIDE, identity: '1000002201' }) ?? []);
    expect(all.length).toBe(asked.length + 1);
  });

  it('have names of their own', () => {
    expect(new Set(PROBES.map(({ name }) => name)).size).toBe(PROBES.length);
  });

  it('know a person for each kind of number', () => {
    expect(ONE_OF_EACH.map(({ nationalId }) => nationalId.charAt(0))).toEqual(['1', '2', '3', '4']);
    expect(ONE_OF_EACH[0]?.id).toBe('amal');
  });
});
