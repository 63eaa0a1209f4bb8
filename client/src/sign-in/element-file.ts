/// <reference types="node" />

let read: Promise<string> | undefined;

/** The element as one file for browsers, which the package has beside this one. */
export function fileOfElement(): Promise<string> {
  read ??= readElement();
  return read;
}

/** Node is asked only here, so that a page of one's own, with its own script, needs no files. */
async function readElement(): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  return readFile(new URL(import.meta.resolve('@miftah/client/element')), 'utf8');
}
