import type { AddDriveCommand } from '../instance/drive-context.ts';
import { rowOf, textOf } from '../instance/rows.ts';
import { onRun, driveCommand } from '../instance/session.ts';

/** `miftah reset`. */
export const resetCommand: AddDriveCommand = (program, context) => {
  const reset = driveCommand(
    program,
    'reset',
    'takes the scope back to the start: people, queue, faults, what waits',
  );
  onRun(reset, context, async ({ control, print }) => {
    const data = await control.call('resetScope', { body: {} });
    const [scope, prompts] = ['scope', 'prompts'].map((name) => textOf(rowOf(data), name));
    const dropped = prompts === '1' ? '1 prompt was' : `${prompts} prompts were`;
    print(data, () => `The scope ${scope} is as at the start; ${dropped} dropped.\n`);
  });
};
