import { nearestOf } from './nearest.ts';

/** A path with a part that varies after each colon, and its methods. */
export interface KnownRoute {
  readonly url: string;
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

/** The routes of a server, to distinguish an unknown path from an unknown method. */
export class KnownRoutes {
  readonly all: KnownRoute[] = [];

  /** Routes with a wildcard are left out, because each path would be one of them. */
  add(url: string, methods: string | readonly string[]): void {
    if (url.includes('*')) return;
    const known = this.all.find((one) => one.url === url);
    const route = known ?? { url, pattern: patternOf(url), methods: new Set<string>() };
    if (known === undefined) this.all.push(route);
    for (const name of [methods].flat()) route.methods.add(name);
  }

  /** The methods of a path, for `Allow`; empty: the path is unknown. */
  methodsAt(path: string): readonly string[] {
    const matching = this.all.filter(({ pattern }) => pattern.test(path));
    return [...new Set(matching.flatMap(({ methods }) => [...methods]))].toSorted();
  }

  /** The route that was probably meant by an unknown path. */
  misspelt(path: string): KnownRoute | undefined {
    const written = path.split('/');
    const byPath = new Map(
      this.all.filter(({ url }) => url !== '/').map((route) => [filled(route.url, written), route]),
    );
    return byPath.get(nearestOf(path, [...byPath.keys()]) ?? '');
  }
}

/** Longer than each path of ours with an id in it. Whoever sends a request chooses what is compared. */
export const COMPARED_CHARACTERS = 80;

/** The method to use at a route: the one that was sent where it has it. */
export function methodMeant({ methods }: KnownRoute, sent: string): string {
  // HEAD and OPTIONS are no answer to what was probably meant.
  const names = [...methods].filter((name) => !/^(?:HEAD|OPTIONS)$/.test(name)).toSorted();
  return names.find((name) => name === sent) ?? names[0] ?? 'GET';
}

/** `/people/{id}` in the place of `/people/:id`. */
export const readableUrl = ({ url }: KnownRoute) => url.replaceAll(/:(\w+)/g, '{$1}');

/** The path of a route in which each part that varies is as it was sent. */
function filled(url: string, written: readonly string[]): string {
  const parts = url.split('/').map((part, at) => (part.startsWith(':') ? written[at] : part));
  return parts.join('/');
}

function patternOf(url: string): RegExp {
  const source = url
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : RegExp.escape(part)))
    .join('/');
  return new RegExp(`^${source}$`);
}
