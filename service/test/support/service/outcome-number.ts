import { OUTCOMES, outcomeId } from '@miftah/simulator/engine';

/** The reserved national id with which an outcome happens. */
export function outcomeNumber(wanted: string): string {
  const found = OUTCOMES.find(({ key }) => key === wanted);
  if (found === undefined) throw new Error(`no outcome is called ${wanted}`);
  return outcomeId(found.number);
}
