import { scopeOf } from '../attempt/scenario.ts';
import type { Person } from '../account/user.ts';
import type {
  AttemptReference,
  Exchanged,
  RemoteProvider,
} from '../provider/identity-provider.port.ts';
import { issuerIn } from './simulated-prompts.ts';

/**
 * For the simulator as a remote provider of strict mode: after its tokens were checked, the people of
 * another scope get an issuer of their own, so that they are other users.
 */
export function withPeopleOfScopes(provider: RemoteProvider): RemoteProvider {
  return {
    ...provider,

    async exchange(back) {
      return inScope(await provider.exchange(back), back.attempt);
    },

    async verifyKept(kept, back) {
      return inScope(await provider.verifyKept(kept, back), back.attempt);
    },

    async readPush(message, expected, cameAt) {
      const pushed = await provider.readPush(message, expected, cameAt);
      if (pushed.status !== 'approved') return pushed;
      return { ...pushed, person: ofScope(pushed.person, expected.attempt) };
    },
  };
}

function inScope(exchanged: Exchanged, attempt: AttemptReference): Exchanged {
  if (exchanged.status !== 'approved') return exchanged;
  return { ...exchanged, person: ofScope(exchanged.person, attempt) };
}

function ofScope(person: Person, attempt: AttemptReference): Person {
  return { ...person, issuer: issuerIn(scopeOf(attempt)) };
}
