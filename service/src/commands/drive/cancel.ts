import { misused } from './failure.ts';
import type { AddDriveCommand } from './drive-context.ts';
import { asking } from './service-client.ts';
import { act, driving } from './session.ts';

/** `miftah cancel`: what an application does with an attempt that its person does not want any more. */
export const cancelCommand: AddDriveCommand = (program, context) => {
  const cancel = driving(
    program,
    'cancel <attempt> [token]',
    'cancels an attempt; without its token, or with -, reads the token',
  );
  act(cancel, context, async (session, id: string, given: string | undefined) => {
    const isRead = given === undefined || given === '-';
    const said = isRead ? await context.ask('Attempt token: ', HIDDEN) : given;
    const token = said?.trim() ?? '';
    if (token === '') throw misused('There is no token: the answer of the start has it.');
    await asking(session, async (client) => {
      // As `export` gives it: of the rest, a cancel needs nothing.
      const kept = { id, token, flow: 'mfa', expiresAt: new Date(0), key: '' };
      await client.resume(JSON.stringify(kept)).cancel();
    });
    session.print({ attempt_id: id, status: 'rejected' }, () => 'Cancelled.\n');
  });
};

const HIDDEN = { isHidden: true };
