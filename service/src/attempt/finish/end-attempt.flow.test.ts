import { expect, it, vi } from 'vitest';
import { sampleAttempt, START } from '../../../test/conformance/samples.ts';
import type { Meter } from '../../operate/metrics/meter.port.ts';
import { createMemoryStore } from '../../store/index.ts';
import type { Services } from '../services.flow.ts';
import { failAttempt, rejectAttempt } from './end-attempt.flow.ts';

const AT = START + 1000;

it.each([
  ['failed', failAttempt],
  ['rejected', rejectAttempt],
] as const)(
  '%s: an end is counted when it is written, not when it is asked again',
  async (step, end) => {
    const store = createMemoryStore();
    const signIn = vi.fn<Meter['signIn']>();
    const services = { store, meter: { signIn } } as unknown as Services;
    const attempt = sampleAttempt();
    await store.insertAttempt(attempt);
    for (let times = 0; times < 3; times += 1) {
      await end(services, {
        attemptId: attempt.attemptId,
        at: AT,
        reason: 'attempt.rejected',
      });
    }
    expect(signIn).toHaveBeenCalledOnce();
    expect(signIn.mock.calls[0]?.[0]).toBe(step);
  },
);
