import { meant } from '@miftah/schema/nearest';

/** What one argument may be, or a member of one. */
export interface Rule<Value> {
  /** Of an argument. A member is named by its place, and options by their members alone. */
  readonly name?: string;
  /** The sentence about it, without its name and its end: `is true or false`. */
  readonly says: string;
  readonly holds: (value: unknown) => value is Value;
  readonly isOptional?: true;
  /** What was given is not shown. */
  readonly isSecret?: true;
  /** Of an object: the rule of each member. */
  readonly members?: Members;
  /** Of a list: the rule of what is in it. */
  readonly each?: Rule<unknown>;
}

export type Members = Readonly<Record<string, Rule<unknown>>>;

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
  const names: readonly string[] = Object.keys(options);
  return optional({
    says: `the options are an object such as { ${names.join(', ')} }`,
    holds: (value): value is Options => isOptions(value),
    members: Object.fromEntries(
      Object.entries<Rule<unknown>>(options).map(([name, rule]) => [name, optional(rule)]),
    ),
  });
}

/** A Date, and a promise that was not awaited, have no members: they would be taken for no options. */
function isOptions(value: unknown): boolean {
  return isObject(value) && !isDate(value) && !(value instanceof Promise);
}

/** @param members the rule of each, also of those that are left to the instance */
export function dataOf<Data extends object>(
  says: string,
  members: { readonly [Name in keyof Data]-?: Rule<unknown> },
): Rule<Data> {
  return { says, holds: (value): value is Data => isObject(value), members };
}

export function listOf<Value>(says: string, each: Rule<Value>): Rule<readonly Value[]> {
  return { says, holds: (value): value is readonly Value[] => Array.isArray(value), each };
}

export function oneOf<Value extends string>(...values: readonly Value[]): Rule<Value> {
  return {
    says: `is one of ${values.join(', ')}`,
    holds: (value): value is Value => values.some((known) => known === value),
  };
}

/** What else it may be says the instance. */
export const ANYTHING: Rule<unknown> = {
  says: 'has a value',
  holds: (value): value is unknown => value !== null,
};

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
export function secretThat(says: string, form: RegExp = /^[!-~]+$/): Rule<string> {
  return { ...textThat(`${says}, in visible ASCII characters`, form), isSecret: true };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Some test libraries have a `Date` of their own, so it is not known by its constructor. */
export function isMoment(value: unknown): value is Date {
  return isDate(value) && !Number.isNaN(Number(value));
}

const isDate = (value: unknown) => Object.prototype.toString.call(value) === '[object Date]';

/**
 * Compares what a call was given with its rules. JavaScript may give what the types do not have,
 * which would change nothing and be found late.
 * @param advice what the error says after all else
 * @throws TypeError that says what is right, and what was given
 */
export function requireUse(
  call: string,
  given: ArrayLike<unknown>,
  rules: readonly Rule<unknown>[],
  advice = '',
): void {
  const all = Array.from(given);
  const wrong = rules.map((rule, place) => wrongIn(rule, all[place]));
  const first = firstOf(wrong) ?? superfluousIn(all, rules);
  if (first !== null) throw new TypeError(`${call}${first}.${advice}`);
}

/** The rules of a method without arguments that may be a hook of a test. */
export const OF_HOOK: readonly [] = [];

function superfluousIn(given: readonly unknown[], rules: readonly Rule<unknown>[]): string | null {
  const first = given.slice(rules.length).find((more) => more !== undefined);
  if (first === undefined || (rules === OF_HOOK && isContext(first))) return null;
  if (rules.length === 0) return ` takes no argument, and not ${shown(first)}`;
  const [value, place, list] = given;
  if (Array.isArray(list) && typeof place === 'number' && list[place] === value) return null;
  const most = rules.length === 1 ? 'one argument' : `${rules.length} arguments`;
  return ` takes ${most}, and not also ${shown(first)}`;
}

/** What test libraries give to a hook, first: a function, an instance, or an empty object. */
function isContext(value: unknown): boolean {
  return typeof value === 'function' || (isObject(value) && namesIn(value).length === 0);
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

function wrongIn(rule: Rule<unknown>, value: unknown, place = rule.name ?? ''): string | null {
  const { says, holds, isOptional, isSecret, members, each } = rule;
  if (value === undefined && isOptional === true) return null;
  if (!holds(value)) {
    const given = isSecret && typeof value !== 'object' ? 'what was given' : shown(value);
    return `: ${`${place} ${says}`.trim()}, and not ${given}`;
  }
  if (each !== undefined && Array.isArray(value)) {
    return firstOf(Array.from(value, (one, at) => wrongIn(each, one, `${place}[${at}]`)));
  }
  return members === undefined || !isObject(value) ? null : wrongAmong(members, value, place);
}

function wrongAmong(
  members: Members,
  given: Readonly<Record<string, unknown>>,
  place: string,
): string | null {
  const known = Object.entries(members);
  const names = Object.keys(members);
  const begin = place === '' ? ' takes' : `: ${place} may have`;
  const unknown = Object.keys(given).filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    const each = unknown.map((name) => name + meant(name, names));
    return `${begin} ${names.join(', ')}, and not ${each.join(', ')}`;
  }
  const missing = known.filter(([name, rule]) => given[name] === undefined && !rule.isOptional);
  if (missing.length > 0) return `: ${place} must have ${missing.map(([name]) => name).join(', ')}`;
  const placeOf = (name: string) => (place === '' ? name : `${place}.${name}`);
  return firstOf(known.map(([name, rule]) => wrongIn(rule, given[name], placeOf(name))));
}

function firstOf(texts: readonly (string | null)[]): string | null {
  return texts.find((text) => text !== null) ?? null;
}

/** Those that options are written with; none for an instance of a class. */
function namesIn(value: object): readonly string[] {
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  return isPlain ? Object.keys(value) : [];
}

/** Of a text, in characters. */
const SHOWN_MAX = 60;

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, SHOWN_MAX));
  if (Array.isArray(value)) return 'a list';
  if (value instanceof Promise) return 'a promise, which has to be awaited';
  if (isDate(value)) return isMoment(value) ? 'a Date' : 'an invalid Date (of what is no time)';
  if (!isObject(value)) return typeof value === 'function' ? 'a function' : String(value);
  const names = namesIn(value).join(', ');
  return names === '' ? 'an object' : `{ ${names.slice(0, SHOWN_MAX)} }`;
}
