import type { AttemptRecord } from '../attempt.ts';
import type { Client } from '../../account/client.ts';
import { interactionReturn } from '../../account/openid-client.ts';
import { Refusal } from '../../errors/refusal.ts';
import { namedReturnAddress } from './return-address.ts';
import type { Services } from '../services.flow.ts';

export interface ReturnTarget {
  readonly client: Client;
  /** Where the attempt's browser is sent back to. */
  readonly address: string;
  /** How the address is told what the sign-in has brought. */
  readonly codeIn: Client['codeIn'];
}

/**
 * The client and the return address of an attempt, by the clients file as it is now: the operator
 * may have removed either since the start, for example because somebody else has the host now.
 * @throws Refusal `attempt.not_found` when one of them was removed
 */
export function requireReturnTarget(
  { clients, openidReturn }: Pick<Services, 'clients' | 'openidReturn'>,
  { client: id, returnAddress }: Pick<AttemptRecord, 'client' | 'returnAddress'>,
): ReturnTarget {
  const client = clients.find(id);
  if (client !== null && returnAddress !== null) {
    const { openid, codeIn } = client;
    // Of a sign-in by OpenID: what it is for is found by `findWayBack`.
    if (openid !== null && returnAddress === openidReturn) {
      return { client, address: returnAddress, codeIn: 'query' };
    }
    const address = namedReturnAddress(client, returnAddress);
    if (address !== null) return { client, address, codeIn };
  }
  throw new Refusal('attempt.not_found');
}

/**
 * Where the browser that has signed in is led to. Of a sign-in by OpenID that is its interaction, whose
 * address is a secret: whoever asks has to be the browser that launched the attempt.
 * @returns null where that interaction has ended
 * @throws Refusal as `requireReturnTarget`
 */
export async function findWayBack(
  services: Pick<Services, 'clients' | 'openidReturn' | 'store'>,
  record: Pick<AttemptRecord, 'attemptId' | 'client' | 'returnAddress'>,
): Promise<ReturnTarget | null> {
  const target = requireReturnTarget(services, record);
  if (target.address !== services.openidReturn) return target;
  const interaction = await services.store.openidOfAttempt(record.attemptId);
  if (interaction === null) return null;
  const address = new URL(interactionReturn(interaction.body), target.address).href;
  return { ...target, address };
}
