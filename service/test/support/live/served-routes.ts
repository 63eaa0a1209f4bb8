import type { FastifyInstance } from 'fastify';

export interface ServedRoute {
  readonly method: string;
  /** With the names of its parameters, for example `/errors/:code`. */
  readonly path: string;
}

const LINE = /^((?:│ {3}| {4})*)(?:├──|└──) (.*) \(([A-Z, ]+)\)$/;
const INDENT = 4;

/** Every route that an application serves, as its router knows them; not the one of preflights. */
export function servedRoutes(app: FastifyInstance): readonly ServedRoute[] {
  const above: string[] = [];
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', part = '', methods = ''] = LINE.exec(line) ?? [];
      const depth = indent.length / INDENT;
      above.splice(depth, above.length, part);
      // The root is the first slash of all others.
      const path = above.join('').replace(/^\/\/+/, '/');
      return methods
        .split(', ')
        .filter((method) => method !== '' && method !== 'OPTIONS')
        .map((method) => ({ method, path }));
    });
}
