import type { PlantedBug } from '../support/planted-bug.ts';

/** Bugs in how an instance is opened to a local network, and in how browsers come in. */
export const LOCAL_NETWORK_BUGS: readonly PlantedBug[] = [
  {
    name: 'a code lets in everybody who has read it',
    edits: [
      {
        file: 'simulator/src/access/secret-shelf.ts',
        from: 'this.#kept = this.#kept.filter((one) => one !== found);',
        to: '',
      },
    ],
    test: {
      file: 'service/test/threats/local-network.test.ts',
      name: 'threat 86: a code of the local network, guessed, used twice or read later > lets in one of eight who send it at the same time',
    },
  },
  {
    name: 'the cookie of a session is enough to change something',
    edits: [
      {
        file: 'simulator/src/control/guard.ts',
        from: "if (!isSaid) throw new ControlError('simulator.foreign_origin');",
        to: '',
      },
    ],
    test: {
      file: 'service/test/threats/local-network.test.ts',
      name: 'threat 87: a foreign page uses the cookie of a session > a program that names no page changes nothing',
    },
  },
  {
    name: 'wrong codes are not counted',
    edits: [
      {
        file: 'simulator/src/access/sessions.ts',
        from: 'this.#wrong.count(address);',
        to: 'void address;',
      },
    ],
    test: {
      file: 'service/test/threats/local-network.test.ts',
      name: 'threat 86: a code of the local network, guessed, used twice or read later > is not guessed: after ten tries of a minute others are not answered, and the right one is',
    },
  },
  {
    name: '--lan is allowed in production where a simulator is',
    edits: [
      {
        file: 'service/src/config/lan.ts',
        from: "if (values.NODE_ENV === 'production') {",
        to: "if (values.NODE_ENV === 'production' && values.ALLOW_SIMULATOR !== 'yes') {",
      },
    ],
    test: {
      file: 'service/test/threats/local-network.test.ts',
      name: 'threat 88: --lan opens what should stay closed > it is refused with a simulator in production',
    },
  },
];
