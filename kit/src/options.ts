/** What one argument or option may be. */
export interface Rule<Value> {
  /** A sentence without its end: `strict is true or false`. */
  readonly says: string;
  readonly holds: (value: unknown) => value is Value;
  readonly isOptional?: true;
  /** What was given is not shown. */
  readonly isSecret?: true;
  /** Of an argument that has options: the rule of each, none of which is required. */
  readonly options?: Readonly<Record<string, Rule<unknown>>>;
}

type Method = (...given: never) => Promise<unknown>;

/** The compiler refuses rules that lack a method, an argument or an option, or have one too many. */
type RulesOf<Methods> = {
  readonly [
    Name in keyof Methods & string as Methods[Name] extends Method ? Name : never
  ]: Methods[Name] extends (...given: infer Given) => unknown ? RulesFor<Given> : never;
};

type RulesFor<Given extends readonly unknown[]> = {
  readonly [Place in keyof Given]-?: Rule<Exclude<Given[Place], undefined>>;
};

export function optionsOf<Options extends object>(options: {
  readonly [Name in keyof Options]-?: Rule<Exclude<Options[Name], undefined>>;
}): Rule<Options> {
  return optional({
    says: 'the options are an object',
    holds: (value): value is Options => isObject(value),
    options,
  });
}

export function optional<Value>(rule: Rule<Value>): Rule<Value> {
  return { ...rule, isOptional: true };
}

export function textThat(says: string, form: RegExp = /./): Rule<string> {
  return {
    says,
    holds: (value): value is string => typeof value === 'string' && form.test(value),
  };
}

/** A text for a header, whose error would quote it. */
export function secretThat(says: string): Rule<string> {
  return {
    says: `${says}, in visible ASCII characters`,
    holds: (value): value is string => typeof value === 'string' && /^[!-~]+$/.test(value.trim()),
    isSecret: true,
  };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isListOfObjects(value: unknown): value is readonly object[] {
  return Array.isArray(value) && value.every(isObject);
}

/** Some test libraries have a `Date` of their own, so it is not known by its constructor. */
export function isMoment(value: unknown): value is Date {
  const isDate = Object.prototype.toString.call(value) === '[object Date]';
  return isDate && !Number.isNaN(Number(value));
}

/**
 * Compares what a call was given with its rules. JavaScript may give what the types do not have,
 * which would change nothing and be found late.
 * @throws TypeError that says what is right, and what was given
 */
export function requireUse(
  call: string,
  given: readonly unknown[],
  rules: readonly Rule<unknown>[],
): void {
  const wrong = rules.map((rule, place) => wrongIn(rule, given[place]));
  // Other values may follow: a place in a list, or what a test library gives to a hook.
  const more = given
    .slice(rules.length)
    .filter(isPlain)
    .map((value) => unknownIn({}, value));
  const first = [...wrong, ...more].find((text) => text !== null) ?? null;
  if (first !== null) throw new TypeError(`${call}${first}.`);
}

/** The same methods, but each rejects with a TypeError when its call is against its rules. */
export function guarded<Methods extends object>(
  methods: Methods,
  rules: RulesOf<Methods>,
  prefix = '',
): Methods {
  return new Proxy(methods, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      const own: unknown = Reflect.get(rules, name);
      if (typeof member !== 'function' || !isRules(own)) return member;
      // A test library reads the parameters of its hooks in their source, which a proxy has not.
      return new Proxy(member, {
        async apply(method, self, given: readonly unknown[]) {
          requireUse(prefix + String(name), given, own);
          const result: unknown = await Reflect.apply(method, self, given);
          return result;
        },
      });
    },
  });
}

function isRules(value: unknown): value is readonly Rule<unknown>[] {
  return Array.isArray(value);
}

function wrongIn(
  { says, holds, isOptional, isSecret, options }: Rule<unknown>,
  value: unknown,
): string | null {
  if (value === undefined && isOptional === true) return null;
  if (!holds(value)) {
    const given = isSecret && typeof value !== 'object' ? 'what was given' : shown(value);
    return `: ${says}, and not ${given}`;
  }
  return options === undefined || !isObject(value) ? null : unknownIn(options, value);
}

function unknownIn(
  options: Readonly<Record<string, Rule<unknown>>>,
  given: Readonly<Record<string, unknown>>,
): string | null {
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(options, name));
  const known = Object.keys(options);
  if (unknown.length > 0) {
    if (known.length === 0) return ` has no option ${unknown.join(', ')}`;
    return ` takes ${known.join(', ')}, and not ${unknown.join(', ')}`;
  }
  const wrong = Object.entries(options).map(([name, rule]) =>
    wrongIn({ ...rule, isOptional: true }, given[name]),
  );
  return wrong.find((text) => text !== null) ?? null;
}

/** As options are written, and not of a class. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Of a text, in characters. */
const SHOWN_MAX = 60;

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, SHOWN_MAX));
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
}
