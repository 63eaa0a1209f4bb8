import type { SourceFile } from '../tree.ts';

export type Place = { readonly line: number; readonly message: string };

export type TidyRule = {
  readonly name: string;
  readonly covers: (path: string) => boolean;
  readonly find: (file: SourceFile) => Place[];
};

const CODE = /\.(?:ts|mts|js|mjs)$/;

export function isCodePath(path: string): boolean {
  return CODE.test(path);
}

export function isTestPath(path: string): boolean {
  return isCodePath(path) && (path.endsWith('.test.ts') || /(?:^|\/)test\//.test(path));
}

/** What runs in front of people, as opposed to tests, scripts and the benchmark. */
export function isProductPath(path: string): boolean {
  return isCodePath(path) && /^(?:service|simulator|pages)\/src\//.test(path) && !isTestPath(path);
}
