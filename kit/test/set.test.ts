import { describe, expect, it } from 'vitest';
import { startMiftah, type NewPerson, type OutcomeKey } from '../src/index.ts';
import { FOREVER, opened } from './support/instances.ts';
import { LAYLA } from './support/people.ts';

/** The compiler refuses it with a key too few or too many. */
const OUTCOME_KEYS: Readonly<Record<OutcomeKey, true>> = {
  approves_at_once: true,
  approves_after_3s: true,
  approves_in_last_second: true,
  refuses: true,
  not_me: true,
  wrong_number: true,
  never_answers: true,
  refuses_named: true,
  active_transaction: true,
  unknown_record: true,
  gateway_refuses: true,
  provider_error_500: true,
  provider_down_503: true,
  slow_answer: true,
  broken_json: true,
  connection_cut: true,
  callback_twice: true,
  callback_before_reply: true,
  callback_lost: true,
  token_late: true,
  callback_expired: true,
  token_unknown_key: true,
  token_wrong_audience: true,
  token_expired: true,
  token_other_person: true,
  token_alg_none: true,
  lower_assurance: true,
  result_without_names: true,
};

describe('what a test sets', () => {
  it('are people, who sign in', async () => {
    const miftah = await opened({ people: [LAYLA] });
    expect(miftah.people['layla']).toEqual({ ...LAYLA, default: false });
    const client = miftah.client();
    const attempt = await client.start({ locale: 'en', nationalId: LAYLA.nationalId });
    await miftah.phone.approve('layla');
    expect((await attempt.issueToken()).user.englishName).toBe('Layla Tajriba');
    await miftah.putPerson({ ...LAYLA, email: 'other@people.example' });
    expect(miftah.people['layla']?.email).toBe('other@people.example');
    await miftah.removePerson('layla');
    expect(miftah.people['layla']).toBeUndefined();
    await expect(miftah.removePerson('amal')).rejects.toThrow(
      /people\.default: The default person/,
    );
    await miftah.reset();
    expect(miftah.people['layla']).toEqual({ ...LAYLA, default: false });
  });

  it('says what is wrong with a person', async () => {
    const birthDate = '1990-02-30';
    await expect(startMiftah({ people: [{ ...LAYLA, birthDate }] })).rejects.toThrow(
      /PUT \/simulator\/people\/layla was refused: validation\.failed: .* birthDate: 1990-02-30 is not a day/,
    );
    const arabicName = { ...LAYLA.arabicName, frist: 'ليلى' };
    const person: NewPerson = { ...LAYLA, nationalId: '12', arabicName };
    await expect(startMiftah({ people: [person] })).rejects.toThrow(
      / arabicName: must not have "frist" \(did you mean "first"\?\); nationalId: must be like 1000001101/,
    );
  });

  it('are faults of the calls to the provider, with their counts', async () => {
    const miftah = await opened({ strict: true });
    const rule = { operation: 'mfa_request', status: 503, seed: 1 } as const;
    expect(await miftah.faults(rule)).toMatchObject([{ ...rule, rate: 1, seen: 0, hits: 0 }]);
    const { nationalId } = miftah.people.amal;
    const start = () => miftah.client().start({ locale: 'en', nationalId });
    await expect(start()).rejects.toThrow('provider.unavailable');
    expect(await miftah.faults()).toMatchObject([{ seen: 1, hits: 1 }]);
    await expect(miftah.faults({ operation: 'mfa_request' })).rejects.toThrow(
      / faults\[0\]: must have one of "status", "record", "latencyMs", "answer"\. What a fault may/,
    );
    await expect(miftah.faults({ operation: 'any', latencyMs: 10_001 })).rejects.toThrow(
      / faults\[0\]\.latencyMs: .*10000.*\. What a fault may have is in its type, FaultRule, /,
    );
    const operation = 'mfa_reqest' as 'any';
    await expect(miftah.faults({ operation, status: 503 })).rejects.toThrow(
      / faults\[0\]\.operation: must be one of .* \(did you mean "mfa_request"\?\)\./,
    );
    await miftah.faults([]);
    await start();
  });

  it.each([
    ['plain', false],
    ['strict', true],
  ])('is what happens in the next attempts, one after the other: %s', async (_, strict) => {
    const miftah = await opened({ strict });
    const { nationalId } = miftah.people.amal;
    await miftah.next('refuses');
    await miftah.next('approves_at_once');
    const ends = [];
    for (const state of ['rejected', 'authenticated'] as const) {
      const attempt = await miftah.client().start({ locale: 'en', nationalId });
      await miftah.waitFor(attempt, state);
      ends.push((await attempt.status()).status);
    }
    expect(ends).toEqual(['rejected', 'authenticated']);
    const third = await miftah.client().start({ locale: 'en', nationalId });
    expect((await miftah.phone.approve()).attemptId).toBe(third.id);
  });

  it('is an outcome of the simulator, by one of its keys, which the type has', async () => {
    const answer = await fetch(`${(await opened()).url}/simulator/outcomes`);
    const { data } = (await answer.json()) as { data: readonly { key: string }[] };
    const keys = data.map(({ key }) => key);
    expect(keys.toSorted()).toEqual(Object.keys(OUTCOME_KEYS).toSorted());
  });

  it('is refused where there is no such outcome, or no such time', async () => {
    const miftah = await opened();
    await expect(miftah.next('refuse' as 'refuses')).rejects.toThrow(
      /: validation\.failed: did you mean "refuses"\? The .+ result_without_names\. The body/,
    );
    await expect(miftah.next('refuses', { after: -1 })).rejects.toThrow(/"after":3/);
    await miftah.next('refuses', { after: 3 });
    const { nationalId } = miftah.people.amal;
    const attempt = await miftah.client().start({ locale: 'en', nationalId });
    expect((await attempt.status()).status).toBe('pending');
    await miftah.clock.advance('3s');
    await miftah.waitFor(attempt, 'rejected');
  });

  it('ends with a reset, and so does what waits', async () => {
    const miftah = await opened({ now: FOREVER });
    const { nationalId } = miftah.people.amal;
    await miftah.client().start({ locale: 'en', nationalId });
    await miftah.clock.advance('1h');
    await miftah.clock.skew('1m');
    await miftah.reset();
    expect(await miftah.phone.prompts()).toEqual([]);
    expect(await miftah.clock.state()).toMatchObject({ now: FOREVER, frozen: true, skewMs: 0 });
  });
});
