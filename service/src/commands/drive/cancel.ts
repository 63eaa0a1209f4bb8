import { misused } from '../instance/failure.ts';
import type { AddDriveCommand } from '../instance/drive-context.ts';
import { withClient } from '../instance/service-client.ts';
import { onRun, driveCommand } from '../instance/session.ts';

const HIDDEN = { isHidden: true };

/** `miftah cancel`: ends an attempt that the person does not want any more, as an application can. */
export const cancelCommand: AddDriveCommand = (program, context) => {
  const cancel = driveCommand(
    program,
    'cancel <attempt> [token]',
    'cancels an attempt; without its token, or with -, reads the token',
  );
  onRun(cancel, context, async (session, id: string, given: string | undefined) => {
    const isAsked = given === undefined || given === '-';
    const text = isAsked ? await context.ask('Attempt token: ', HIDDEN) : given;
    const token = text?.trim() ?? '';
    if (token === '') throw misused('There is no token: the answer of the start has it.');
    await withClient(session, async (client) => {
      // The client takes an attempt as `attempt.export()` writes it. A cancel uses its id and its
      // token; the other members only have to be there.
      const exported = { id, token, flow: 'mfa', expiresAt: new Date(0), key: '' };
      await client.resume(JSON.stringify(exported)).cancel();
    });
    session.print({ attempt_id: id, status: 'rejected' }, () => 'Cancelled.\n');
  });
};
