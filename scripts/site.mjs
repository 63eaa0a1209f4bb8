// The packages of the documentation's site. `site/` is no workspace, because whoever runs the service
// would install 377 packages for it. Its Astro is 7.3.4: 7.3.5 needs a compiler whose programs for
// other systems are not all published, and `npm ci` refuses such a lockfile.

import { ownPackages } from './own-packages.mjs';

export const SITE_HELP = `
  ----------------------------------------------------------------------
  NOT RUN: the site of the documentation. Its packages are not installed.
  Either of these mends it, with npm's registry in reach:
    - npm run site, which installs them and builds the site
    - npm test, which installs all that the tests need
  ----------------------------------------------------------------------
`;

export const {
  find: findSitePackages,
  has: hasSitePackages,
  provide: provideSite,
} = ownPackages({
  folder: 'site',
  getting: 'getting the packages of the documentation site',
  help: SITE_HELP,
});
