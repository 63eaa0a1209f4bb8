import { createRequire } from 'node:module';
import type { Config } from '../config/config.ts';

const READER = '@scalar/fastify-api-reference';

export const NO_READER =
  `the API reader at /docs needs ${READER}, which is not installed: npm install ${READER}, or set ` +
  'DOCS=off. Packages and releases for live mode come without it.';

/**
 * The settings without the reader of the API where it is not installed. It is loaded at its first
 * use, and whoever wants it must not learn only then that it is missing.
 * @throws Error in live mode, where the reader is on only if somebody has set it
 */
export function withReader(config: Config): Config {
  if (!config.docs || isInstalled()) return config;
  if (config.live !== null) throw new Error(NO_READER);
  return { ...config, docs: false };
}

function isInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve(READER);
    return true;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    if (error.code !== 'MODULE_NOT_FOUND') throw error;
    return false;
  }
}
