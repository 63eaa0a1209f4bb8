import { describe, expect, it } from 'vitest';
import { Admission } from './start-attempt.flow.ts';

const REQUESTS = 'overload-requests';
const STORE = 'overload-store';

/** An admission that has just let its regular start through, so that the next one is decided. */
function admissionAt(now: number): Admission {
  const admission = new Admission();
  expect(admission.limitOf(true, now)).toBeNull();
  return admission;
}

describe('a start that has waited too long in the process', () => {
  it('is refused, and one that has not is admitted', () => {
    const admission = admissionAt(0);

    expect(admission.limitOf(true, 1)).toBe(REQUESTS);
    expect(admission.limitOf(false, 1)).toBeNull();
  });

  it('is admitted once in 50 ms', () => {
    const admission = admissionAt(0);
    const admitted = Array.from({ length: 1000 }, (_, ms) => admission.limitOf(true, ms + 1));

    expect(admitted.filter((limit) => limit === null)).toHaveLength(20);
  });
});

function withStarts(count: number) {
  const admission = admissionAt(0);
  const ends = Array.from({ length: count }, () => admission.enterStore(0));
  return { admission, ends };
}

describe('a start while others are in the store', () => {
  it('is admitted beside 16 of them, however long they take', () => {
    expect(withStarts(16).admission.limitOf(false, 1_000_000)).toBeNull();
  });

  it('is refused beside 17 of them as soon as the oldest has taken 250 ms', () => {
    const { admission } = withStarts(17);
    expect(admission.limitOf(false, 249)).toBeNull();

    // The one that is admitted in any case.
    expect(admission.limitOf(false, 250)).toBeNull();
    expect(admission.limitOf(false, 251)).toBe(STORE);
  });

  it('is admitted again when the old ones are answered', () => {
    const { admission, ends } = withStarts(100);
    admission.enterStore(200);
    expect(admission.limitOf(false, 260)).toBeNull();
    expect(admission.limitOf(false, 261)).toBe(STORE);

    for (const end of ends) end();

    expect(admission.limitOf(false, 261)).toBeNull();
  });

  it('counts the oldest of those that are left', () => {
    const { admission, ends } = withStarts(17);
    for (let one = 0; one < 17; one += 1) admission.enterStore(200);
    for (const end of ends) end();
    expect(admission.limitOf(false, 449)).toBeNull();

    expect(admission.limitOf(false, 450)).toBeNull();
    expect(admission.limitOf(false, 451)).toBe(STORE);
  });
});
