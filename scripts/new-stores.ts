// How a new store in the process of a test comes to be a copy: service/test/support/store/new-stores.ts.

/** How the service makes the tables of a new file. */
export const MADE_BY_SOURCES = '    migrate(draft);\n';
/** The symbol of the function of a worker that makes it instead. */
export const MAKER = 'makes a new store';

const MADE_HERE = `    globalThis[Symbol.for('${MAKER}')](draft, migrate);\n`;

/** A plugin of vitest. */
export const copiesNewStores = {
  name: 'copies-new-stores',
  enforce: 'pre' as const,
  transform: (code: string, id: string) =>
    id.endsWith('/store/sqlite/data-directory.ts')
      ? { code: code.replace(MADE_BY_SOURCES, MADE_HERE), map: null }
      : null,
};
