import type { PlantedBug } from '../support/planted-bug.ts';

const KIT = 'kit/test/kit.test.ts';
const OPTIONS = 'kit/test/options.test.ts';
const SIDE_BY_SIDE = 'kit/test/parallel.test.ts';

const FLAWS = 'kit/test/openid-flaws.test.ts';
const FLAWED = 'service/src/openid/simulated/flawed-id-tokens.ts';

/** Bugs in `miftah/testing`, on which the tests of applications rely. */
export const KIT_BUGS: readonly PlantedBug[] = [
  {
    name: 'strict mode takes what is to be wrong in an ID token',
    edits: [
      {
        file: 'simulator/src/control/conditions/openid.ts',
        from: "if (openid === null) throw new ControlError('openid.elsewhere');\n    const",
        to: "if (openid !== null && !scope) throw new ControlError('openid.elsewhere');\n    const",
      },
    ],
    test: {
      file: 'service/test/threats/wrong-id-tokens.test.ts',
      name: 'threat 146: a wrong ID token of a simulation, given out in earnest > strict simulator mode answers as it should',
    },
  },
  {
    name: 'the OpenID Provider goes on with the keys of before a rotation by a test',
    edits: [
      {
        file: 'service/src/openid/face.ts',
        from: 'parts.chosen?.onOpen(() => (readAt = Number.NEGATIVE_INFINITY));',
        to: 'parts.chosen?.onOpen(() => undefined);',
      },
    ],
    test: {
      file: FLAWS,
      name: 'the keys > sign next what the list has had, and after another rotation what it has not',
    },
  },
  {
    name: 'a scope has the OpenID Provider fail for all others',
    edits: [
      {
        file: 'simulator/src/control/conditions/faults.ts',
        from: "if (scope !== DEFAULT_SCOPE) throw new ControlError('openid.of_instance');",
        to: "if (scope === '') throw new ControlError('openid.of_instance');",
      },
    ],
    test: {
      file: 'kit/test/openid-faults.test.ts',
      name: 'a fault of the OpenID Provider > is one of the whole instance, so no scope sets it',
    },
  },
  {
    name: 'the wrong ID token of one scope is given out in another',
    edits: [
      {
        file: FLAWED,
        from: 'takeFlaw(scopeOf(clientInScope(this.client.clientId)));',
        to: "takeFlaw(scopeOf(clientInScope(this.client.clientId.replace('@', ''))));",
      },
    ],
    test: {
      file: FLAWS,
      name: 'the next ID token > is wrong in the scope of the test alone, until that is reset',
    },
  },
  {
    name: 'an ID token with a wrong claim has the signature of the right one',
    edits: [{ file: FLAWED, from: '${signed(text)}`', to: '${signed(token)}`' }],
    test: {
      file: FLAWS,
      name: 'the next ID token > with a wrong claim has a good signature: portal',
    },
  },
  {
    name: 'the kit starts in production, where a setting allows the simulator',
    edits: [
      {
        file: 'kit/src/start.ts',
        from: "if (process.env['NODE_ENV'] !== 'production') return;",
        to: "if (process.env['NODE_ENV'] !== 'prod') return;",
      },
    ],
    test: { file: KIT, name: 'what the kit says about bad use > a production' },
  },
  {
    name: 'the kit takes the settings of the application under test',
    edits: [
      {
        file: 'kit/src/in-process.ts',
        from: "STRICT: isStrict ? 'yes' : 'no',",
        to: "STRICT: process.env['STRICT'] ?? (isStrict ? 'yes' : 'no'),",
      },
    ],
    test: { file: KIT, name: 'an instance of the kit > takes no setting from the environment' },
  },
  {
    name: 'the kit does not look at what a method is given beside its arguments',
    edits: [
      {
        file: 'kit/src/options.ts',
        from: '.slice(rules.length)',
        to: '.slice(Infinity)',
      },
    ],
    test: {
      file: OPTIONS,
      name: 'browser.refuse > refuses an option that it does not know, and names it',
    },
  },
  {
    name: 'of several prompts the kit decides the oldest one',
    edits: [
      {
        file: 'kit/src/phone.ts',
        from: 'if (meant.length < 2) return;',
        to: 'if (meant.length > 0) return;',
      },
    ],
    test: {
      file: KIT,
      name: 'the kit in plain mode > names a prompt by its attempt, its person, or a number',
    },
  },
  {
    name: 'the kit asks for the prompts of all scopes',
    edits: [
      {
        file: 'contract/src/control-client.ts',
        from: "...(scope === null ? {} : { 'x-miftah-scope': scope }),",
        to: "...(scope === null ? {} : { 'x-miftah-scopes': scope }),",
      },
    ],
    test: {
      file: SIDE_BY_SIDE,
      name: 'side by side > scopes of one instance see nothing of each other',
    },
  },
  {
    name: 'a scope that is stopped keeps its people',
    edits: [
      {
        file: 'kit/src/test-miftah.ts',
        from: "if (scope !== null) await control.call('resetScope')",
        to: "if (scope === '') await control.call('resetScope')",
      },
    ],
    test: {
      file: SIDE_BY_SIDE,
      name: 'side by side > a scope that is stopped has nothing left of its own',
    },
  },
];
