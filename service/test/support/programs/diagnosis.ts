import type { Said } from './operator.ts';

interface Found {
  readonly check: string;
  readonly severity: string;
  readonly what: string;
  readonly remedy: string | null;
}

/** What `miftah doctor --json` has said. */
export interface Diagnosis extends Said {
  readonly findings: readonly Found[];
}

export function diagnosisIn(said: Said): Diagnosis {
  const lines = said.out.trim().split('\n');
  return { ...said, findings: lines.map((line) => JSON.parse(line) as Found) };
}

export function severityOf({ findings }: Diagnosis, check: string): string[] {
  return findings.filter((one) => one.check === check).map(({ severity }) => severity);
}
