import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../run.mjs';

/**
 * Where a published package says that its sources are. The package.json of the repository has the
 * address, in the form that npm and its proofs compare: `git+https://HOST/OWNER/NAME.git`. A project
 * that has no public address yet names none.
 * @param workspace the folder of the sources
 * @throws Error for an address in another form
 */
export function addressesOf(workspace: string, folder = root): object {
  const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (!hasRepository(manifest)) return {};
  const { url } = manifest.repository;
  const [, page] = /^git\+(https:\/\/[\w.-]+(?:\/[\w.-]+)+)\.git$/.exec(url) ?? [];
  if (page === undefined) throw new Error(`package.json: repository.url is ${url}, ${WANTED}`);
  return {
    homepage: `${page}#readme`,
    bugs: `${page}/issues`,
    repository: { type: 'git', url, directory: workspace },
  };
}

const WANTED = 'not git+https://HOST/OWNER/NAME.git';

function hasRepository(value: unknown): value is { readonly repository: { readonly url: string } } {
  if (typeof value !== 'object' || value === null || !('repository' in value)) return false;
  const { repository } = value;
  if (typeof repository === 'object' && repository !== null && 'url' in repository) {
    return typeof repository.url === 'string';
  }
  throw new Error(`package.json: repository has no url, which is ${WANTED}`);
}
