import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** The oldest browsers that what people open is for, as docs/client.md names them. */
export const OLDEST = { chrome: 103, firefox: 102, safari_ios: 16 } as const;

/** The same for a compiler. */
export const OLDEST_TARGETS = ['chrome103', 'firefox102', 'ios16.0'];

type Support = Partial<Record<string, string>>;

const versionOf = (text: string) => Number(/\d+(?:\.\d+)?/.exec(text)?.[0] ?? Number.NaN);

/** Whether one of the oldest browsers is without it. */
const isNewer = (support: Support) =>
  Object.entries(OLDEST).some(
    ([browser, oldest]) => !(versionOf(support[browser] ?? '') <= oldest),
  );

const isEverywhereToday = (support: Support) =>
  Object.keys(OLDEST).every((browser) => support[browser] !== undefined);

/** What is read of the data. */
type Data = {
  readonly features: Readonly<
    Record<
      string,
      { readonly status?: { readonly by_compat_key?: Readonly<Record<string, Known>> } }
    >
  >;
};
type Known = { readonly support: Support };

const require = createRequire(import.meta.url);
const file = require.resolve('web-features/data.json');
const { features } = JSON.parse(readFileSync(file, 'utf8')) as Data;

const supports = Object.values(features).flatMap(({ status }) =>
  Object.entries(status?.by_compat_key ?? {}).map(([key, { support }]) => [key, support] as const),
);

/**
 * Every key of MDN's compatibility data that a feature of the web has, and whether one of the oldest
 * browsers is without it.
 */
export const newness: ReadonlyMap<string, boolean> = new Map(
  supports.map(([key, support]) => [key, isNewer(support)]),
);

/** Those that all browsers have today. What is in one only is hardly used by mistake. */
export const usual: ReadonlySet<string> = new Set(
  supports.filter(([, support]) => isEverywhereToday(support)).map(([key]) => key),
);
