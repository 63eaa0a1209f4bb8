import { matchesGlob } from 'node:path';
import { describe, expect, it } from 'vitest';
import { THREAD_OF_SOURCES } from '../scripts/bundle-programs.ts';
import { MADE_BY_SOURCES } from '../scripts/new-stores.ts';
import { LONG_FILES, WAITING_FILES } from '../scripts/test-order.ts';
import { TEST_PROJECTS, wholeRun } from '../scripts/test-projects.ts';
import { isCode, readTree, type SourceFile } from './support/tree.ts';

/** Which test file is in which project of vitest (scripts/test-projects.ts). */

const tree = readTree();
const tests = tree.filter((file) => isCode(file) && file.path.endsWith('.test.ts'));

function isNamedBy(globs: readonly string[], { path }: SourceFile): boolean {
  return globs.some((glob) => matchesGlob(path, glob));
}

function filesIn({ files, exclude }: (typeof TEST_PROJECTS)[number]): readonly SourceFile[] {
  return tests.filter((file) => isNamedBy(files, file) && !isNamedBy(exclude, file));
}

function filesOf(wanted: string): readonly SourceFile[] {
  return TEST_PROJECTS.filter(({ name }) => name === wanted).flatMap(filesIn);
}

const pathsOf = (files: readonly SourceFile[]) => files.map(({ path }) => path).toSorted();
const importing = (module: RegExp) => tests.filter(({ text }) => module.test(text));

describe('the projects of the tests', () => {
  it('have each test file, once', () => {
    const all = TEST_PROJECTS.flatMap(({ name }) => pathsOf(filesOf(name)));
    expect(all.toSorted()).toEqual(pathsOf(tests));
  });

  it('have each file that is neither long nor of clients in `npm test`, once', () => {
    const apart = new Set(['long', 'clients']);
    const others = TEST_PROJECTS.filter(({ name }) => !apart.has(name));
    expect(pathsOf(wholeRun().flatMap(filesIn))).toEqual(pathsOf(others.flatMap(filesIn)));
  });

  it.each(TEST_PROJECTS.flatMap(({ name, files }) => files.map((glob) => [name, glob])))(
    '%s has something by %s',
    (name, glob = '') => {
      expect(filesOf(name).filter((file) => isNamedBy([glob], file))).not.toEqual([]);
    },
  );

  it('have the files with a real browser in projects of their own', () => {
    const browser =
      /from '(?:[./]*\/scripts\/(?:browser\.ts|firefox\.mjs)|\.\/support\/scene\.ts)'/;
    // Laravel, Python, the compiler and the packages have none.
    const clients = filesOf('clients').filter(
      ({ path }) => !/\/(?:laravel|python|types|packages-nodes)\.test\.ts$/.test(path),
    );
    const found = [...filesOf('browser'), ...clients];
    const long = new Set(filesOf('long'));
    const others = importing(browser).filter((file) => !long.has(file));
    expect(pathsOf(found)).toEqual(pathsOf(others));
  });

  it('have the files that try more at length in the long one, and each in its own', () => {
    const globs = TEST_PROJECTS.flatMap(({ atLength = [] }) => atLength);
    const found = tests.filter((file) => isNamedBy(globs, file));
    expect(pathsOf(found)).toEqual(pathsOf(importing(/from .*\/scripts\/test-length\.ts/)));
    expect(pathsOf(filesOf('long')).filter((path) => pathsOf(found).includes(path))).toEqual([]);
  });

  it('start nothing in the fast one', () => {
    const starting =
      /from '.*\/(?:test-service|service-process|for-test|rehearsal|in-process)\.ts'/;
    const fast = new Set(pathsOf(filesOf('fast')));
    expect(pathsOf(importing(starting)).filter((path) => fast.has(path))).toEqual([]);
  });

  it('have the files that a run takes first', () => {
    const known = new Set(pathsOf(tests));
    expect([...LONG_FILES, ...WAITING_FILES].filter((path) => !known.has(path))).toEqual([]);
  });

  it('start the thread of SQLite from the bundle, where the sources name it so', () => {
    const naming = tree.filter(({ text }) => text.includes(`new Worker(${THREAD_OF_SOURCES}`));
    expect(pathsOf(naming)).toEqual(['service/src/store/sqlite/sqlite-engine.ts']);
  });

  it('copy a new store, where the sources make one so', () => {
    const making = tree.filter(({ text }) => text.includes(MADE_BY_SOURCES));
    expect(pathsOf(making)).toEqual(['service/src/store/sqlite/data-directory.ts']);
  });
});
