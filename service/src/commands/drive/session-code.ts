import type { AddDriveCommand } from '../instance/drive-context.ts';
import { rowOf, textOf } from '../instance/rows.ts';
import { act, driving } from '../instance/session.ts';

/** `miftah session-code`: the address is shown with the code, as a phone needs it. */
export const sessionCodeCommand: AddDriveCommand = (program, context) => {
  const command = driving(
    program,
    'session-code',
    'lets a browser in: an address of the phone that is good once, for two minutes',
  );
  act(command, context, async ({ instance: { origin, scope }, control, print }) => {
    const data = await control.call('createSessionCode', { body: {} });
    const [code, phone] = ['code', 'phone_url'].map((name) => textOf(rowOf(data), name));
    const query = scope === null ? '' : `?scope=${scope}`;
    const address = phone === '' ? `${origin}/simulator/phone` : phone;
    print(data, () => `${address}${query}#code=${code}\n`);
  });
};
