import { scopeOf } from '../domain/scenario.ts';
import type { Person } from '../domain/user.ts';
import type { AttemptReference, RemoteProvider } from '../ports/identity-provider.ts';
import { issuerIn } from './simulated-provider.ts';

/**
 * For the simulator as a remote provider of strict mode: after its tokens were checked, the people of
 * another scope get an issuer of their own, so that they are other users.
 */
export function withPeopleOfScopes(provider: RemoteProvider): RemoteProvider {
  return {
    ...provider,

    async exchange(back) {
      const person = await provider.exchange(back);
      return person === null ? null : ofScope(person, back.attempt);
    },

    async readPush(message, expected) {
      const pushed = await provider.readPush(message, expected);
      if (pushed.status !== 'approved') return pushed;
      return { ...pushed, person: ofScope(pushed.person, expected.attempt) };
    },
  };
}

function ofScope(person: Person, attempt: AttemptReference): Person {
  return { ...person, issuer: issuerIn(scopeOf(attempt)) };
}
