import type { UserStore } from '../../src/store/ports/store.port.ts';
import type { OpenTables } from './tables.ts';
import { endOpenid } from './tokens.ts';

/** Nothing is sealed here, so no key can be changed or lost. */
export function userStore(tables: OpenTables): UserStore {
  return {
    findUser: async (userId) => tables().users.get(userId),
    findPerson: async (person) => tables().users.ofPerson(person),
    disableUser: async (userId, at) => {
      const { users, openid, audit } = tables();
      if (users.disable(userId, at)) {
        endOpenid({ users, openid }, userId, null);
        audit.append({ at, action: 'user.disabled', userId });
      }
      return users.get(userId) !== null;
    },
    enableUser: async (userId, at) => {
      const { users, audit } = tables();
      if (users.enable(userId)) audit.append({ at, action: 'user.enabled', userId });
      return users.get(userId) !== null;
    },
    rotateKeys: async () => ({ sealed: nothingSealed(tables), twins: [] }),
    countLost: async () => nothingSealed(tables),
    forgetLost: async () => nothingSealed(tables),
    listDisabled: async () => tables().users.disabled,
    lastUserId: async () => tables().users.lastId,
    listUserIds: async (after, limit) => tables().users.idsAfter(after).slice(0, limit),
  };
}

function nothingSealed(tables: OpenTables): number {
  tables();
  return 0;
}
