import { compileStandalone } from '../../../../scripts/pack/compile.ts';

let made: Promise<string> | undefined;

/** `@miftah/client/element` as it is published: one file for a browser. */
export function elementModule(): Promise<string> {
  made ??= compileStandalone('client/src/element.ts');
  return made;
}
