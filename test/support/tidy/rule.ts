import type { SourceFile } from '../tree.ts';

export type Place = { readonly line: number; readonly message: string };

export type TidyRule = {
  readonly name: string;
  readonly covers: (path: string) => boolean;
  readonly find: (file: SourceFile) => Place[];
};

const CODE = /\.(?:tsx?|mts|js|mjs)$/;

export function isCodePath(path: string): boolean {
  return CODE.test(path);
}

export function isTestPath(path: string): boolean {
  return isCodePath(path) && (path.endsWith('.test.ts') || /(?:^|\/)test\//.test(path));
}

/** Whether a file is part of the product, and not of tests, scripts or the benchmark. */
export function isProductPath(path: string): boolean {
  return (
    isCodePath(path) &&
    /^(?:(?:service|simulator|pages|client|kit|console|contract|schema)\/src|pages\/browser)\//.test(
      path,
    ) &&
    !isTestPath(path)
  );
}
