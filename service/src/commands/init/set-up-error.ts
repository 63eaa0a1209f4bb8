import { withoutControls } from '../instance/without-controls.ts';

/** Says everything that keeps a set-up from being written, in a line for each. */
export class SetUpError extends Error {
  constructor(faults: readonly string[]) {
    super(`Nothing was written:\n  - ${faults.map(withoutControls).join('\n  - ')}`);
    this.name = 'SetUpError';
  }
}

/** @throws SetUpError when there are faults */
export function refuse(faults: readonly string[]): void {
  if (faults.length > 0) throw new SetUpError(faults);
}
