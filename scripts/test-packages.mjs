// Packages of others that tests try, with lockfiles of their own.

import { ownPackages } from './own-packages.mjs';

/** @param {string} what */
const help = (what) => `
  ----------------------------------------------------------------------
  NOT RUN: ${what}. Their packages are not installed.
  npm test installs them, and so does: node scripts/setup.mjs --tests
  ----------------------------------------------------------------------
`;

/** The generators of clients that are tried on the OpenAPI documents. */
export const generators = ownPackages({
  folder: 'generators',
  getting: 'getting the generators of clients for the tests',
  help: help('generated clients'),
});

/** The clients that are tried on the OpenID Provider. */
export const openidClients = ownPackages({
  folder: 'service/test/openid/clients',
  getting: 'getting the OpenID clients for the tests',
  help: help('OpenID clients'),
});
