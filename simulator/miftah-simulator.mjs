#!/usr/bin/env node
/** The simulator as a program. JavaScript, so that an older Node still runs this check. */
const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 24) {
  process.stderr.write(
    `miftah-simulator needs Node 24 or newer, and this is ${process.version}.\n`,
  );
  process.exit(1);
}

await import('./src/main.ts');
