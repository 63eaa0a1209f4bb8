/** A place where a rule is broken. Lines count from 1. */
export type Finding = {
  readonly rule: string;
  readonly path: string;
  readonly line: number;
  readonly message: string;
};

/** One line for each finding, in a form that editors turn into a link. */
export function listed(findings: readonly Finding[]): string[] {
  return findings.map(({ rule, path, line, message }) => `${path}:${line} [${rule}] ${message}`);
}
