// The generators of clients that the tests try on the OpenAPI documents.

import { ownPackages } from './own-packages.mjs';

export const { has: hasGenerators, provide: provideGenerators } = ownPackages({
  folder: 'generators',
  getting: 'getting the generators of clients for the tests',
  help: `
  ----------------------------------------------------------------------
  NOT RUN: generated clients. The generators are not installed.
  npm test installs them, and so does: node scripts/setup.mjs --tests
  ----------------------------------------------------------------------
`,
});
