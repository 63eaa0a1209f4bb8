import { expect } from 'vitest';
import type { TestService } from './test-service.ts';

export interface FaultRow {
  readonly seed: number;
  readonly seen: number;
  readonly hits: number;
}

/** Sets these faults in place of those that were set, by the control API. */
export async function setFaults(service: TestService, ...faults: readonly object[]): Promise<void> {
  const answer = await service.app.inject({
    method: 'PUT',
    url: '/simulator/faults',
    payload: { faults },
  });
  expect(answer.statusCode, answer.payload).toBe(200);
}

export async function faultsOf({ app }: TestService): Promise<readonly FaultRow[]> {
  return (await app.inject('/simulator/faults')).json<{ data: FaultRow[] }>().data;
}
